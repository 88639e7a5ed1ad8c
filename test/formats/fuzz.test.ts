// Damaged files: a mechanism or a proper refusal, soon, and nothing else. A long run: MANIKIN_FUZZ_RUNS=100000 npx vitest
// run test/formats/fuzz.test.ts. A failure prints the seed and the mutations that led to it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDescription } from '../../src/formats/description.js';
import { parseDescription } from '../../src/formats/description-reader.js';
import { formatJson } from '../../src/formats/json-writer.js';
import { parseSdf } from '../../src/formats/sdf.js';
import { formatState, parseState } from '../../src/formats/state-file.js';
import { parseUrdf } from '../../src/formats/urdf.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { randomMechanism } from '../support/random-mechanism.js';
import { SdfWriter } from '../support/sdf-writer.js';
import { type Mutation, mutate, mutations } from './mutation.js';
import { expectProperRefusal, randomSpec, sharedUrdfs } from './support.js';

const RUNS = Number(process.env.MANIKIN_FUZZ_RUNS ?? 150);
/** Milliseconds of the processor that no file of these sizes may take. */
const LONGEST_MS = 20_000;
const TIME_LIMIT = { timeout: 300_000 + RUNS * 1000 };

/** How the cases of a run ended: a fuzzer whose cases all end alike tries nothing. */
interface Tally {
  accepted: number;
  refused: number;
}

function expectResultOrRefusal(tally: Tally, read: () => void): void {
  const start = process.cpuUsage();
  try {
    read();
    tally.accepted++;
  } catch (error) {
    expectProperRefusal(error);
    tally.refused++;
  }
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(LONGEST_MS);
}

function fuzz(text: string, read: (damaged: string, mutations: readonly Mutation[]) => void): Tally {
  const tally = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(mutations, (list) => expectResultOrRefusal(tally, () => read(mutate(text, list), list))),
    { numRuns: RUNS },
  );
  expect(tally.refused).toBeGreaterThan(0);
  return tally;
}

const files = sharedUrdfs();

describe.skipIf(files.length === 0).each(files)('$name, damaged', ({ name, text }) => {
  it('loads or is refused', TIME_LIMIT, () => {
    const { accepted } = fuzz(text, (damaged, { length }) => {
      // Every other way of reading it gets its turn.
      const mechanism = parseUrdf(damaged, {
        file: name,
        fixedJoints: length % 2 === 0 ? 'merge' : 'keep',
        base: length % 3 === 0 ? 'floating' : 'fixed',
        inertia: length % 5 === 0 ? 'repair' : 'warn',
      });
      expect(mechanism).toBeInstanceOf(Mechanism);
      for (const { where, message } of mechanism.warnings) expect(`${where} ${message}`).not.toMatch(/[\n\r]/);
    });
    // One case in ten to four gets through.
    expect(accepted).toBeGreaterThan(0);
  });
});

describe('an SDF file, damaged', () => {
  it('loads or is refused', TIME_LIMIT, () => {
    const original = randomMechanism(3, { types: ['fixed', 'revolute', 'prismatic', 'universal'], base: 'revolute' });
    const { accepted } = fuzz(new SdfWriter(original, 3).text(), (damaged) => {
      expect(parseSdf(damaged).mechanism).toBeInstanceOf(Mechanism);
    });
    expect(accepted).toBeGreaterThan(0);
  });
});

describe('a description, damaged', () => {
  const mechanism = createMechanism(randomSpec(7));
  const state = State.random(mechanism, 7);

  it('loads or is refused', TIME_LIMIT, () => {
    fuzz(formatJson(formatDescription(mechanism, state)), (damaged) => {
      expect(parseDescription(damaged, { file: 'm.json' }).state).toBeInstanceOf(State);
    });
  });

  it('so is its state', TIME_LIMIT, () => {
    fuzz(formatJson(formatState(state, { tau: state.v })), (damaged) => {
      expect(parseState(damaged, mechanism).state).toBeInstanceOf(State);
    });
  });
});

describe('any JSON', () => {
  it('is refused in the same way', TIME_LIMIT, () => {
    const mechanism = createMechanism(randomSpec(1));
    const tally = { accepted: 0, refused: 0 };
    const keys = ['bodies', 'joints', 'state', 'loops', 'gravity', 'name', 'E', 'q', '__proto__', 'couplings'];
    const anything = fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(anything, (value) => {
        expectResultOrRefusal(tally, () => parseDescription(value));
        expectResultOrRefusal(tally, () => parseState(JSON.stringify(value), mechanism));
      }),
      { numRuns: RUNS },
    );
    expect(tally.refused).toBeGreaterThan(0);
  });
});
