// What is made for a mechanism once, whoever computes it: a sweep computes one mechanism a thousand times, each time with a memory of its
// own, and making the code takes longer than a second of the motion. What is kept goes when the mechanism goes.

const kept = new WeakMap<object, Map<string, unknown>>();

/** What `make` gives for something that never changes; `key` names it with all else that it depends on. */
export function madeOnce<T>(of: object, key: string, make: () => T): T {
  const there = kept.get(of);
  if (there?.has(key) === true) return there.get(key) as T;
  const made = make();
  if (there === undefined) kept.set(of, new Map([[key, made]]));
  else there.set(key, made);
  return made;
}
