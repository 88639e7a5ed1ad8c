// Blocks of one segment that are computed together, one in each lane of the vectors: blocks of the same structure, none of
// which hangs from the other. A chain that is free in space, computed from its middle, has two such halves; a crowd has two
// rows of figures. Numbers differ (one half is read backwards), the structure is what code is made from.

import type { Block } from '../../formulas/block-records.js';
import type { Lane, PlacedBlock } from './blocks.js';

/** A block with its links in an order that depends on its structure alone, and that structure as a text. */
interface Ordered {
  readonly placed: PlacedBlock;
  readonly structure: string;
}

export interface SiblingLanes {
  /** All blocks, links and children of those that share vectors in the same order. */
  readonly blocks: readonly PlacedBlock[];
  /** All blocks of the segment, parents first. */
  readonly lanes: readonly Lane[];
}

export function pairSiblings(placed: readonly PlacedBlock[], own: readonly number[]): SiblingLanes {
  const ordered = new Map(own.map((b) => [b, inOrder(placed[b])]));
  const structure = (b: number): string => ordered.get(b)!.structure;
  /** Blocks that hang from each one, itself included: the larger subtree goes ahead where no two are alike. */
  const size = new Map<number, number>();
  for (const b of [...own].reverse())
    size.set(b, 1 + placed[b].children.reduce((sum, child) => sum + (size.get(child) ?? 0), 0));
  const lanes: Lane[] = [];
  const ready = [own[0]];
  const take = (b: number): void => {
    ready.splice(ready.indexOf(b), 1);
    ready.push(...placed[b].children.filter((child) => size.has(child)));
  };
  while (ready.length > 0) {
    ready.sort((a, b) => size.get(b)! - size.get(a)! || a - b);
    const first = ready.find((a) => ready.some((b) => b !== a && structure(b) === structure(a)));
    if (first === undefined) {
      const [alone] = ready;
      lanes.push([alone]);
      take(alone);
      continue;
    }
    const second = ready.find((b) => b !== first && structure(b) === structure(first))!;
    // Code is made from the first: the one that tells the angular velocity on the way to the source, if one of them does.
    const tells = placed[second].block.spin !== 'none';
    lanes.push(tells ? [second, first] : [first, second]);
    take(first);
    take(second);
  }
  const paired = new Set(lanes.filter((lane) => lane.length === 2).flat());
  return { blocks: placed.map((one, b) => (paired.has(b) ? ordered.get(b)!.placed : one)), lanes };
}

function inOrder(placed: PlacedBlock): Ordered {
  const { block } = placed;
  const { links } = block.plan;
  const below: number[][] = links.map(() => []);
  const roots: number[] = [];
  for (const [i, { parent }] of links.entries()) (parent < 0 ? roots : below[parent]).push(i);
  const shapes: string[] = [];
  for (let i = links.length - 1; i >= 0; i--) {
    below[i].sort((a, b) => compare(shapes[a], shapes[b]) || a - b);
    shapes[i] = `${ownShape(block, i)}(${below[i].map((child) => shapes[child]).join()})`;
  }
  roots.sort((a, b) => compare(shapes[a], shapes[b]) || a - b);
  const order: number[] = [];
  const visit = (i: number): void => {
    order.push(i);
    below[i].forEach(visit);
  };
  roots.forEach(visit);
  const place = new Map(order.map((link, k) => [link, k]));
  const moved = (link: number): number => place.get(link) ?? -1;
  const children = block.children
    .map((child, c) => ({ ...child, link: moved(child.link), number: c }))
    .sort((a, b) => a.link - b.link || a.number - b.number);
  const { spinFrom } = block;
  return {
    structure: `${block.base} ${block.top} ${block.handle} ${block.port} ${block.source === undefined} ${roots.map((i) => shapes[i]).join()}`,
    placed: {
      ...placed,
      children: children.map(({ number }) => placed.children[number]),
      block: {
        ...block,
        plan: { ...block.plan, links: order.map((i) => ({ ...links[i], parent: moved(links[i].parent) })) },
        children: children.map(({ number: _, ...child }) => child),
        spinFrom: typeof spinFrom === 'number' ? children.findIndex(({ number }) => number === spinFrom) : spinFrom,
        reversed: block.reversed.map(moved),
      },
    },
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** What code depends on besides numbers. Ball joints can be read forwards in one lane and backwards in the other. */
function ownShape({ plan, children, reversed }: Block, i: number): string {
  const { type, damped, E, armature } = plan.links[i];
  const zeros = (numbers: readonly number[]): string => numbers.map((x) => (x === 0 ? '0' : 'x')).join('');
  const hanging = children.flatMap(({ link, kind }) => (link === i ? [kind] : []));
  const backwards = type === 'universal' && reversed.includes(i);
  return `${type} ${damped} ${zeros(E)} ${zeros(armature)} ${backwards} ${hanging}`;
}
