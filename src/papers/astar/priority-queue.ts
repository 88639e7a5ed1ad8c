/** A binary heap: pop gives the smallest element under `compare`. */
export class PriorityQueue<T> {
  private readonly heap: T[] = [];
  private readonly compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.compare = compare;
  }

  push(item: T): void {
    const { heap } = this;
    let at = heap.length;
    heap.push(item);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.compare(heap[above], item) <= 0) break;
      heap[at] = heap[above];
      at = above;
    }
    heap[at] = item;
  }

  pop(): T | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length === 0 || last === undefined) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && this.compare(heap[below + 1], heap[below]) < 0) below++;
      if (this.compare(last, heap[below]) <= 0) break;
      heap[at] = heap[below];
      at = below;
    }
    heap[at] = last;
    return first;
  }
}
