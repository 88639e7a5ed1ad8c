// Records in memory that ranks of one machine share, without MPI: two ranks in one thread. What cannot go on waits, which is an error there.

import { describe, expect, it } from 'vitest';
import { HOST_MEMORY, hostTransport } from '../../../src/engines/mpi/host-transport.js';
import type { Channel, OpenChannels } from '../../../src/engines/mpi/transport.js';
import { sameThread } from '../../support/same-thread.js';

/** Channels of two ranks, opened by both; numbers of each channel as each rank has them. */
function opened(counts: readonly { from: number; count: number; same?: number }[]) {
  const memory = new SharedArrayBuffer(HOST_MEMORY);
  const data = [0, 1].map(() => counts.map(({ count }) => new Float64Array(count)));
  const ends = sameThread(2).map((mpi, rank): OpenChannels => {
    const channels = counts.map((one, k): Channel => ({ ...one, to: 1 - one.from, data: data[rank][k] }));
    return hostTransport(memory, mpi).open(channels);
  });
  return { data, ends };
}

describe('records of ranks on one machine', () => {
  it('come in the step in which they were sent, small ones and large ones', () => {
    const counts = [1, 15, 16, 512, 513, 4000].map((count) => ({ from: 0, count }));
    const { data, ends } = opened(counts);
    for (let step = 1; step <= 11; step++) {
      for (const end of ends) end.begin();
      for (const [k, { count }] of counts.entries()) {
        for (let i = 0; i < count; i++) data[0][k][i] = 1000 * step + k + i / 8192;
        expect(ends[1].arrived(k)).toBe(false);
        ends[0].send(k);
        expect(ends[1].arrived(k)).toBe(true);
        expect(data[1][k]).toEqual(data[0][k]);
      }
    }
  });

  it('are not overwritten before they are read: a rank waits for those who read what it writes', () => {
    const { data, ends } = opened([{ from: 0, count: 3 }]);
    ends[1].begin();
    for (let step = 1; step <= 4; step++) {
      ends[0].begin();
      data[0][0].fill(step);
      ends[0].send(0);
    }
    expect(() => ends[0].begin()).toThrow('cannot wait');
    for (let step = 1; step <= 4; step++) {
      if (step > 1) ends[1].begin();
      expect(ends[1].arrived(0)).toBe(true);
      expect(data[1][0][0]).toBe(step);
    }
  });

  it('of the same numbers stand in one place', () => {
    const { data, ends } = opened([
      { from: 1, count: 2 },
      { from: 1, count: 2, same: 0 },
    ]);
    for (const end of ends) end.begin();
    data[1][0].fill(7);
    for (const k of [0, 1]) ends[1].send(k);
    for (const k of [0, 1]) {
      expect(ends[0].arrived(k)).toBe(true);
      expect([...data[0][k]]).toEqual([7, 7]);
    }
  });

  it('go by MPI where there is no more room', () => {
    const memory = new SharedArrayBuffer(4096);
    const data = Float64Array.of(1, 2, 3);
    const [from, to] = sameThread(2).map((mpi, rank) =>
      hostTransport(memory, mpi).open(
        Array.from({ length: 40 }, () => ({ from: 0, to: 1, count: 3, data: rank === 0 ? data : new Float64Array(3) })),
      ),
    );
    for (const end of [from, to]) end.begin();
    from.send(39);
    expect([38, 39].map((k) => to.arrived(k))).toEqual([false, true]);
  });
});
