// What ranks of MPI cost: messages by their size, and instructions by what a rank has to keep in its caches. Both are tables of
// measurements; between two of them times lie on a line, beyond the last they go on as at its end.

export interface RankConstants {
  /** Nanoseconds of a message, one way; sizes ascend. */
  readonly messages: readonly { readonly bytes: number; readonly ns: number }[];
  /** Nanoseconds of an instruction where each rank has so many links and all are at work; links ascend. */
  readonly instructions: readonly { readonly links: number; readonly ns: number }[];
  /** Threads of each rank, between which words travel as between threads; 1 where left out. */
  readonly threads?: number;
}

export function messageNs({ messages }: RankConstants, bytes: number): number {
  const [first] = messages;
  if (messages.length === 1 || bytes <= first.bytes) return first.ns;
  let k = 1;
  while (k < messages.length - 1 && messages[k].bytes < bytes) k++;
  const [a, b] = [messages[k - 1], messages[k]];
  return a.ns + ((b.ns - a.ns) * (bytes - a.bytes)) / (b.bytes - a.bytes);
}

/** On a logarithmic scale of links; constant beyond both ends. */
export function instructionNs({ instructions }: RankConstants, links: number): number {
  const above = instructions.findIndex((entry) => entry.links >= links);
  if (above === 0) return instructions[0].ns;
  if (above < 0) return instructions[instructions.length - 1].ns;
  const [a, b] = [instructions[above - 1], instructions[above]];
  return a.ns + ((b.ns - a.ns) * Math.log(links / a.links)) / Math.log(b.links / a.links);
}
