/**
 * The package `webgpu` asks its device in every turn of the event loop whether it has done something, by setImmediate. In tests
 * the device is the processor itself, which has better to do meanwhile.
 */
export function askLessOften() {
  globalThis.setImmediate = (then, ...values) => setTimeout(then, 1, ...values);
}
