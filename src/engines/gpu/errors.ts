// What can go wrong with a GPU, said so that the user knows what to do.

/** Codes of a GpuError. */
export type GpuErrorCode =
  | 'no-webgpu'
  | 'no-adapter'
  | 'no-device'
  | 'lost'
  | 'memory'
  | 'compile'
  | 'limit'
  | 'mechanism';

/** What went wrong with a GPU, with a code to branch on. */
export class GpuError extends Error {
  readonly code: GpuErrorCode;

  constructor(code: GpuErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GpuError';
    this.code = code;
  }
}
