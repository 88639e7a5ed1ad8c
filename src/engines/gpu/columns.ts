// The arrays of a batch on the GPU, each with a buffer that the host writes and one that it reads. Both are mapped: what
// the user fills is what the device copies from, and results are read where the device has put them, with no copy by
// JavaScript in between. While the device works the views are gone; afterwards there are new ones.
//
// With a copy on the host the user sees that copy instead, which outlives the device: its numbers are copied to and from
// the mapped buffers with every call.

import type { OpenGpu } from './device.js';
import { GpuError } from './errors.js';
import { USAGE } from './pipeline.js';

const MAP_READ = 1;
const MAP_WRITE = 2;

export class GpuColumn {
  readonly name: string;
  readonly numbers: number;
  readonly device: GPUBuffer;
  readonly #gpu: OpenGpu;
  readonly #host: Float32Array | undefined;
  #up: GPUBuffer | undefined;
  #down: GPUBuffer | undefined;
  #upView: Float32Array | undefined;
  #downView: Float32Array | undefined;
  /** Whether the numbers are those that the device has put into the buffer for reading. */
  #isResult = false;
  /** Between upload or download and settle; between download and settle. */
  #away = false;
  #coming = false;

  constructor(gpu: OpenGpu, name: string, numbers: number, onHost: boolean) {
    this.#gpu = gpu;
    this.name = name;
    this.numbers = numbers;
    this.#host = onHost ? new Float32Array(numbers) : undefined;
    this.device = gpu.device.createBuffer({
      size: 4 * numbers,
      usage: USAGE.storage | USAGE.copySource | USAGE.copyTarget,
    });
  }

  /** Buffers on the way to the device and back are made when they are first needed, or now. */
  prepare(way: 'up' | 'down'): void {
    if (way === 'up') this.#writable();
    else this.#readable();
  }

  /** The numbers as they are now, for reading and writing. */
  get view(): Float32Array {
    const view = this.#away ? undefined : (this.#host ?? (this.#isResult ? this.#downView : this.#writable()));
    if (view === undefined || view.length === 0)
      throw new GpuError(
        'lost',
        `The batch is at work, or gone: ${this.name} cannot be seen until its result is there.`,
      );
    return view;
  }

  #writable(): Float32Array | undefined {
    if (this.#up === undefined) {
      this.#up = this.#gpu.device.createBuffer({
        size: 4 * this.numbers,
        usage: USAGE.mapWrite | USAGE.copySource,
        mappedAtCreation: true,
      });
      this.#upView = new Float32Array(this.#up.getMappedRange());
    }
    return this.#upView;
  }

  #readable(): GPUBuffer {
    this.#down ??= this.#gpu.device.createBuffer({ size: 4 * this.numbers, usage: USAGE.mapRead | USAGE.copyTarget });
    return this.#down;
  }

  /** Before work that reads this array: copies the host's numbers to the device. */
  upload(encoder: GPUCommandEncoder): void {
    if (this.#host !== undefined) this.#writable()?.set(this.#host);
    else if (this.#isResult) {
      // A result that is an input now: its numbers go the way of all inputs.
      const result = this.view;
      this.#isResult = false;
      this.view.set(result);
    } else if (this.view.length === 0) return;
    this.#away = true;
    this.#up!.unmap();
    this.#upView = undefined;
    encoder.copyBufferToBuffer(this.#up!, 0, this.device, 0, 4 * this.numbers);
  }

  /** After it: copies the device's numbers to where the host can read them. */
  download(encoder: GPUCommandEncoder): void {
    const down = this.#readable();
    if (this.#downView !== undefined) {
      down.unmap();
      this.#downView = undefined;
    }
    this.#away = true;
    this.#coming = true;
    encoder.copyBufferToBuffer(this.device, 0, down, 0, 4 * this.numbers);
  }

  /** Once submitted: views again, as soon as the device is done. */
  async settle(): Promise<void> {
    const waits: Promise<void>[] = [];
    if (this.#up !== undefined && this.#upView === undefined) waits.push(this.#up.mapAsync(MAP_WRITE));
    if (this.#coming) waits.push(this.#readable().mapAsync(MAP_READ));
    await Promise.all(waits);
    if (this.#up !== undefined) this.#upView ??= new Float32Array(this.#up.getMappedRange());
    if (this.#coming) {
      this.#coming = false;
      this.#downView = new Float32Array(this.#readable().getMappedRange());
      this.#host?.set(this.#downView);
      this.#isResult = true;
    }
    this.#away = false;
  }

  /** The device is gone: the copy on the host is as it was before the call. */
  release(): void {
    this.#away = this.#coming = false;
  }

  destroy(): void {
    this.#upView = this.#downView = undefined;
    for (const buffer of [this.device, this.#up, this.#down]) buffer?.destroy();
  }
}
