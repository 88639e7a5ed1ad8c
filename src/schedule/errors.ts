/** What was wrong with a request to the scheduler. */
export type ScheduleErrorCode =
  | 'empty-mechanism'
  | 'bad-topology'
  | 'bad-processors'
  | 'bad-cost'
  | 'bad-option'
  | 'bad-tree';

/** Machine-readable details of a `ScheduleError`; which fields are present depends on the code. */
export interface ScheduleErrorFields {
  readonly joint?: number;
  readonly field?: string;
  readonly expected?: string;
  readonly found?: string;
}

/** A request the scheduler refuses. The message is one sentence that says what to change. */
export class ScheduleError extends Error {
  readonly code: ScheduleErrorCode;
  readonly fields: ScheduleErrorFields;

  constructor(code: ScheduleErrorCode, message: string, fields: ScheduleErrorFields = {}) {
    super(message);
    this.name = 'ScheduleError';
    this.code = code;
    this.fields = fields;
  }
}
