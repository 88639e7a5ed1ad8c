// The memory in which all trees of a thread are placed. It grows when trees are made, never within a step; the room of a tree that
// nobody knows any more is used again.

import { type KernelMachine, plainMachine, wasmMachine } from './kernels.js';

interface Room {
  readonly at: number;
  readonly size: number;
}

let machine: KernelMachine | undefined;
/** The first number that is not taken. */
let end = 1;
/** Where there was room of each size. */
const spare = new Map<number, number[]>();

const owners = new FinalizationRegistry<Room>(({ at, size }) => {
  const list = spare.get(size);
  if (list === undefined) spare.set(size, [at]);
  else list.push(at);
});

/** Where trees are placed. */
export function treeMachine(): KernelMachine {
  machine ??= wasmMachine() ?? plainMachine();
  return machine;
}

/** The first of `count` numbers, all zero, for as long as the owner lives. Views of the memory may have to be made again. */
export function takeRoom(owner: object, count: number): number {
  // Sizes are powers of two, so that room fits again.
  let size = 64;
  while (size < count) size *= 2;
  const known = spare.get(size)?.pop();
  const at = known ?? end;
  if (known === undefined) end += size;
  owners.register(owner, { at, size });
  const memory = treeMachine();
  memory.ensure(8 * end);
  memory.F.fill(0, at, at + size);
  return at;
}
