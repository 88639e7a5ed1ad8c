/**
 * A schedule tree as arrays: for every joint the joint at the top of its root side and of its end side, -1 for a side
 * without joints. Chains of thousands of joints make deep trees; arrays can be walked without recursion.
 */
export interface FlatTree {
  top: number;
  readonly rootSide: Int32Array;
  readonly endSide: Int32Array;
}

export function emptyFlatTree(joints: number): FlatTree {
  return { top: -1, rootSide: new Int32Array(joints).fill(-1), endSide: new Int32Array(joints).fill(-1) };
}

/** Where the next node of a tree under construction belongs. */
export interface Slot {
  readonly parent: number;
  readonly side: 'root' | 'end';
}

export const TOP_SLOT: Slot = { parent: -1, side: 'root' };

export function place(tree: FlatTree, slot: Slot, joint: number): void {
  if (slot.parent < 0) tree.top = joint;
  else if (slot.side === 'root') tree.rootSide[slot.parent] = joint;
  else tree.endSide[slot.parent] = joint;
}

/** Joints in preorder: a node, its root side, its end side. */
export function preorder({ top, rootSide, endSide }: FlatTree): Int32Array {
  const order = new Int32Array(rootSide.length);
  let count = 0;
  // End sides still to come, at the far end of the list: no more of them than joints that are not listed yet.
  let later = order.length;
  for (let joint = top; joint >= 0; ) {
    order[count++] = joint;
    const root = rootSide[joint];
    const end = endSide[joint];
    if (root >= 0 && end >= 0) order[--later] = end;
    if (root >= 0) joint = root;
    else if (end >= 0) joint = end;
    else joint = later < order.length ? order[later++] : -1;
  }
  return order.subarray(0, count);
}

export function copyFlatTree(tree: FlatTree): FlatTree {
  return { top: tree.top, rootSide: tree.rootSide.slice(), endSide: tree.endSide.slice() };
}

/** Preorder of a tree with, by joint, its position there, the joint above it (-1 for the top) and its side of that. */
export function orderedByPosition(tree: FlatTree): {
  order: Int32Array;
  position: Int32Array;
  parentOf: Int32Array;
  sideOf: Slot['side'][];
} {
  const order = preorder(tree);
  const position = new Int32Array(tree.rootSide.length).fill(-1);
  const parentOf = new Int32Array(tree.rootSide.length).fill(-1);
  const sideOf = new Array<Slot['side']>(tree.rootSide.length).fill('root');
  order.forEach((joint, at) => {
    position[joint] = at;
    const [root, end] = [tree.rootSide[joint], tree.endSide[joint]];
    if (root >= 0) parentOf[root] = joint;
    if (end >= 0) {
      parentOf[end] = joint;
      sideOf[end] = 'end';
    }
  });
  return { order, position, parentOf, sideOf };
}
