import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDescription } from '../../src/formats/description.js';
import { parseDescription } from '../../src/formats/description-reader.js';
import { formatJson } from '../../src/formats/json-writer.js';
import { parseUrdf } from '../../src/formats/urdf.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { State } from '../../src/mechanism/state.js';
import { changed, hinge, IDENTITY, importProblems, randomSpec, sharedUrdfs } from './support.js';

const problemsOf = (source: string | object): string[] =>
  importProblems(() => parseDescription(source, { file: 'm.json' })).map(
    ({ where, message }) => `${where}: ${message}`,
  );

describe('round trips', () => {
  it('keep random mechanisms of all joint types, and their states, to the last bit', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const mechanism = createMechanism(randomSpec(seed));
        const state = State.random(mechanism, seed);
        state.time = 1.5;
        const read = parseDescription(formatJson(formatDescription(mechanism, state)));
        const { warnings, ...parts } = read.mechanism;
        expect(warnings).toEqual([]);
        // toEqual tells 0 from -0, and compares each number of E, t, com and inertia exactly.
        const { warnings: _, ...expected } = mechanism;
        expect(parts).toEqual(expected);
        expect([...read.state.q]).toEqual([...state.q]);
        expect([...read.state.v]).toEqual([...state.v]);
        expect(read.state.time).toBe(1.5);
      }),
      { numRuns: 100 },
    );
  });

  it('work on the data as well as on its text', () => {
    const mechanism = createMechanism(randomSpec(3));
    const description = formatDescription(mechanism, State.random(mechanism, 3));
    const read = parseDescription(description);
    expect(formatDescription(read.mechanism, read.state)).toEqual(description);
    expect(parseDescription(JSON.stringify(description)).mechanism.bodies).toEqual(mechanism.bodies);
  });

  const files = sharedUrdfs();
  it.skipIf(files.length === 0).each(files)('keep $name, its warnings of inertia too', ({ name, text }) => {
    const mechanism = parseUrdf(text, { base: 'floating', inertia: 'warn' });
    const state = State.random(mechanism, 5);
    const read = parseDescription(formatJson(formatDescription(mechanism, state)), { file: name });
    const { warnings: _, ...parts } = read.mechanism;
    const { warnings: __, ...expected } = mechanism;
    expect(parts).toEqual(expected);
    expect(read.state.q).toEqual(state.q);
    expect(read.state.v).toEqual(state.v);
  });

  it('keep -0, which JSON.stringify does not', () => {
    const { mechanism } = parseDescription(hinge());
    const state = new State(mechanism).set('j0', -0, -0);
    expect(parseDescription(formatJson(formatDescription(mechanism, state))).state.q[0]).toBe(-0);
  });

  it('keep quaternions that integration left a little off', () => {
    const description = changed((d) => {
      d.bodies[0].joint = { type: 'spherical' };
      d.state.b0 = { q: [1 + 1e-12, 0, 0, 0], qd: [0, 0, 0] };
    });
    expect(parseDescription(description).state.q[0]).toBe(1 + 1e-12);
  });
});

describe('what is written', () => {
  it('is what the page says', () => {
    const { mechanism, state } = parseDescription(hinge());
    expect(formatDescription(mechanism, state)).toEqual(hinge());
    expect(formatDescription(mechanism)).not.toHaveProperty('state');
  });

  it('has each list of numbers on one line', () => {
    expect(formatJson({ a: [1, -0, 2.5], b: [], c: {}, d: [{ e: null }], f: undefined })).toBe(
      '{\n  "a": [1, -0, 2.5],\n  "b": [],\n  "c": {},\n  "d": [\n    {\n      "e": null\n    }\n  ]\n}',
    );
  });

  it('marks continuous joints', () => {
    const { mechanism } = parseDescription(changed((d) => Object.assign(d.bodies[0].joint, { continuous: true })));
    expect(mechanism.joints[0].type).toBe('continuous');
    expect(formatDescription(mechanism).bodies[0].joint).toMatchObject({ type: 'revolute', continuous: true });
  });

  it('leaves out fixed joints in the state, and infinite limits', () => {
    const mechanism = createMechanism({
      bodies: [
        { name: 'a', mass: 1 },
        { name: 'b', mass: 1 },
      ],
      joints: [
        { name: 'j', type: 'fixed', parent: null, child: 'a' },
        {
          name: 'k',
          type: 'prismatic',
          parent: 'a',
          child: 'b',
          limits: { lower: 0, upper: Number.POSITIVE_INFINITY },
        },
      ],
    });
    const description = formatDescription(mechanism, new State(mechanism));
    expect(Object.keys(description.state!)).toEqual(['b']);
    expect(description.bodies[1].joint.limits).toEqual({ lower: 0 });
  });

  it('shares nothing with the mechanism', () => {
    const mechanism = createMechanism(randomSpec(9));
    const before = formatJson(formatDescription(mechanism));
    const spoil = (value: object): void => {
      for (const [key, inner] of Object.entries(value)) {
        if (typeof inner === 'number') Object.assign(value, { [key]: 99 });
        else if (typeof inner === 'object' && inner !== null) spoil(inner);
      }
    };
    spoil(formatDescription(mechanism));
    expect(formatJson(formatDescription(mechanism))).toBe(before);
  });
});

describe('what may be missing', () => {
  it('names of joints: they get that of their body, if it is free', () => {
    const { mechanism } = parseDescription(
      changed((d) => {
        d.bodies.push({ ...d.bodies[0], name: 'b1', parent: 'b0', joint: { ...d.bodies[0].joint, name: 'b0' } });
        d.bodies[0].joint = { type: 'fixed' };
        d.state = {};
      }),
    );
    expect(mechanism.joints.map(({ name }) => name)).toEqual(['b0_2', 'b0']);
  });

  it('the state, or part of it: neutral', () => {
    expect(parseDescription(changed((d) => delete d.state)).state.q[0]).toBe(0);
    expect(
      parseDescription(
        changed((d) => {
          d.state = {};
        }),
      ).state.q[0],
    ).toBe(0);
    expect(
      parseDescription(
        changed((d) => {
          d.state = { b0: { q: 2 } };
        }),
      ).state.v[0],
    ).toBe(0);
  });

  it('names of loops', () => {
    const end = (body: string | null) => ({ body, E: IDENTITY, t: [0, 0, 0] });
    const loops = [{ joint: { type: 'spherical', axis: [0, 0, 1] }, a: end('b0'), b: end(null) }];
    expect(parseDescription(changed((d) => Object.assign(d, { loops }))).mechanism.loops[0]).toMatchObject({
      name: 'loop',
      type: 'spherical',
      a: { body: 0 },
      b: { body: -1 },
    });
  });

  it('the entry of a fixed joint, which may also be empty', () => {
    const fixed = (entry: object) =>
      changed((d) => {
        d.bodies[0].joint = { type: 'fixed' };
        d.state = entry;
      });
    for (const entry of [{}, { b0: {} }, { b0: { q: [], qd: [] } }])
      expect(parseDescription(fixed(entry)).state.q).toHaveLength(0);
    expect(problemsOf(fixed({ b0: { q: 1 } }))).toEqual(['m.json: state.b0.q: Expected 0 finite numbers, got 1.']);
  });
});

describe('coupled joints', () => {
  const coupled = (state: object) =>
    changed((d) => {
      d.bodies.push({ ...d.bodies[0], name: 'b1', parent: 'b0', joint: { ...d.bodies[0].joint, name: 'j1' } });
      d.couplings = [{ joint: 'j1', source: 'j0', multiplier: 2, offset: 1 }];
      d.state = state;
    });

  it('follow where they are not given', () => {
    expect([...parseDescription(coupled({ b0: { q: 3, qd: 1 } })).state.q]).toEqual([3, 7]);
    expect([...parseDescription(coupled({ b0: { q: 3, qd: 1 } })).state.v]).toEqual([1, 2]);
  });

  it('must be in their place where they are given', () => {
    expect([...parseDescription(coupled({ b0: { q: 3, qd: 1 }, b1: { q: 7 + 1e-12, qd: 2 } })).state.q]).toEqual([
      3,
      7 + 1e-12,
    ]);
    expect(problemsOf(coupled({ b0: { q: 3, qd: 1 }, b1: { q: 8, qd: 2 } }))).toEqual([
      'm.json: state.b1.q: Expected the position 7, since the joint follows "j0", got 8.',
    ]);
  });
});

const REROOT = fileURLToPath(new URL('../../../shared/reference/reroot-case.json', import.meta.url));
it.skipIf(!existsSync(REROOT))('the reference descriptions can be read, and written without loss', () => {
  for (const { old, new: rerooted } of JSON.parse(readFileSync(REROOT, 'utf8')).cases)
    for (const description of [old, rerooted]) {
      const { mechanism, state } = parseDescription(description);
      expect(mechanism.bodies).toHaveLength(description.bodies.length);
      const written = formatDescription(mechanism, state);
      expect(written.gravity).toEqual(description.gravity);
      for (const [name, { q, qd }] of Object.entries<{ q: number | number[]; qd: number | number[] }>(
        description.state,
      ))
        expect(written.state![name]).toEqual({ q, qd });
    }
});
