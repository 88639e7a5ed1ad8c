// The choice between one thread and several, with given times: what is measured, how often, and what follows.

import { describe, expect, it } from 'vitest';
import { decide, type Pair } from '../../src/schedule/measured-choice.js';

const GAIN_PREDICTED = { one: 10, several: 6 };

/** Gives the pairs in turn, the last one for ever. */
async function played(pairs: readonly Pair[], predicted: Pair = GAIN_PREDICTED, one?: number) {
  const milliseconds: number[] = [];
  const rests: number[] = [];
  const verdict = await decide({
    measure: (ms) => {
      milliseconds.push(ms);
      return pairs[Math.min(milliseconds.length, pairs.length) - 1];
    },
    rest: (ms) => {
      rests.push(ms);
      return Promise.resolve();
    },
    predicted,
    ...(one !== undefined && { one }),
  });
  return { ...verdict, milliseconds, rests };
}

describe('one thread or several', () => {
  it('is clear at once where times are far from each other, as predicted', async () => {
    expect(await played([{ one: 10, several: 7 }])).toMatchObject({ parallel: true, rounds: 1, rests: [] });
    const loss = await played([{ one: 10, several: 14 }], { one: 10, several: 13 });
    expect(loss).toMatchObject({ parallel: false, rounds: 1, rests: [], one: 10, several: 14 });
  });

  it('is measured longer and longer where times are near each other, and least times count', async () => {
    const near = await played(
      [
        { one: 10, several: 10.1 },
        { one: 10.3, several: 9.9 },
        { one: 10, several: 9.7 },
        { one: 10, several: 10 },
      ],
      { one: 10, several: 10 },
    );
    expect(near).toMatchObject({ parallel: true, rounds: 4, one: 10, several: 9.7, rests: [] });
    expect(near.milliseconds).toEqual([40, 80, 160, 320]);
  });

  it('is one thread for the same time', async () => {
    expect(await played([{ one: 10, several: 10 }], { one: 10, several: 10 })).toMatchObject({ parallel: false });
    expect(await played([{ one: 10, several: 9.9 }], { one: 10, several: 10 })).toMatchObject({ parallel: false });
  });

  it('waits where threads do far worse than predicted: a busy moment does not decide', async () => {
    const busy = { one: 11, several: 60 };
    const calmed = await played([busy, busy, { one: 10, several: 6.5 }]);
    expect(calmed).toMatchObject({ parallel: true, rounds: 3, one: 10, several: 6.5, busy: false });
    expect(calmed.rests).toEqual([80, 160]);
    expect(await played([busy])).toMatchObject({ parallel: false, rounds: 4, busy: true });
    // Nothing was expected of them: nothing to wait for.
    expect(await played([busy], { one: 10, several: 12 })).toMatchObject({ parallel: false, rounds: 1, rests: [] });
  });

  it('does not forget what one thread took in a quiet moment', async () => {
    expect(await played([{ one: 80, several: 50 }], GAIN_PREDICTED, 10)).toMatchObject({ parallel: false, one: 10 });
  });
});
