import { describe, expect, it } from 'vitest';
import { formatDescription } from '../../src/formats/description.js';
import { parseDescription } from '../../src/formats/description-reader.js';
import { formatJson } from '../../src/formats/json-writer.js';
import { MAX_INPUT_BYTES } from '../../src/formats/size-limit.js';
import { changed, hinge, IDENTITY, importProblems } from './support.js';

const problemsOf = (source: string | object): string[] =>
  importProblems(() => parseDescription(source, { file: 'm.json' })).map(
    ({ where, message }) => `${where}: ${message}`,
  );

describe('what is refused, by JSON path', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the tests break the types on purpose
  const cases: [string, (d: any) => void, string][] = [
    ['no bodies', (d) => delete d.bodies, 'bodies: Expected an array, got nothing.'],
    [
      'bodies of another kind',
      (d) => {
        d.bodies = { 0: {} };
      },
      'bodies: Expected an array, got an object.',
    ],
    ['a body that is none', (d) => d.bodies.push(null), 'bodies[1]: Expected an object, got null.'],
    ['no gravity', (d) => delete d.gravity, 'gravity: Expected 3 finite numbers, got nothing.'],
    ['E too short', (d) => d.bodies[0].E.pop(), 'bodies[0].E: Expected 9 finite numbers, got 8.'],
    ['E missing', (d) => delete d.bodies[0].E, 'bodies[0].E: Expected 9 finite numbers, got nothing.'],
    [
      'a text in t',
      (d) => {
        d.bodies[0].t[1] = '2';
      },
      'bodies[0].t[1]: Expected a finite number, got "2".',
    ],
    [
      'null in com',
      (d) => {
        d.bodies[0].com[2] = null;
      },
      'bodies[0].com[2]: Expected a finite number, got null.',
    ],
    [
      'infinite mass',
      (d) => {
        d.bodies[0].mass = Number.POSITIVE_INFINITY;
      },
      'bodies[0].mass: Expected a finite number, got Infinity.',
    ],
    [
      'negative mass',
      (d) => {
        d.bodies[0].mass = -1;
      },
      'bodies[0].mass: Expected a number not below zero, got -1.',
    ],
    ['no name', (d) => delete d.bodies[0].name, 'bodies[0].name: Expected a name, got nothing.'],
    [
      'an empty name',
      (d) => {
        d.bodies[0].name = '';
      },
      'bodies[0].name: Expected a name, got an empty text.',
    ],
    [
      'a garbled name',
      (d) => {
        d.bodies[0].name = '\u001b[31m';
      },
      'bodies[0].name: Expected a name without control characters, got "\\u001b[31m".',
    ],
    [
      'a parent that is no name',
      (d) => {
        d.bodies[0].parent = 0;
      },
      'bodies[0].parent: Expected a name, got 0.',
    ],
    ['no joint', (d) => delete d.bodies[0].joint, 'bodies[0].joint: Expected an object, got nothing.'],
    [
      'an unknown type',
      (d) => {
        d.bodies[0].joint.type = 'continuous';
      },
      'bodies[0].joint.type: Expected one of fixed, revolute, prismatic, helical, cylindrical, universal, planar, spherical, floating, got "continuous".',
    ],
    ['no axis', (d) => delete d.bodies[0].joint.axis, 'bodies[0].joint.axis: Expected 3 finite numbers, got nothing.'],
    [
      'an axis of another length',
      (d) => {
        d.bodies[0].joint.axis = [0, 0, 2];
      },
      'bodies[0].joint.axis: Expected a unit vector, got one of length 2.',
    ],
    [
      'a helical joint without pitch',
      (d) => {
        d.bodies[0].joint.type = 'helical';
      },
      'bodies[0].joint.pitch: Expected a finite number, got nothing.',
    ],
    [
      'a universal joint without axis2',
      (d) => {
        d.bodies[0].joint.type = 'universal';
        d.state = {};
      },
      'bodies[0].joint.axis2: Expected 3 finite numbers, got nothing.',
    ],
    [
      'continuous sliding',
      (d) => Object.assign(d.bodies[0].joint, { type: 'prismatic', continuous: true }),
      'bodies[0].joint.continuous: Expected it with revolute joints only, got a prismatic one.',
    ],
    [
      'negative damping',
      (d) => {
        d.bodies[0].joint.damping = -1;
      },
      'bodies[0].joint.damping: Expected a number not below zero, got -1.',
    ],
    [
      'limits of another kind',
      (d) => {
        d.bodies[0].joint.limits = [0, 1];
      },
      'bodies[0].joint.limits: Expected an object, got an array of 2.',
    ],
    [
      'a loop without ends',
      (d) => {
        d.loops = [{ joint: { type: 'fixed' }, a: { body: null, E: IDENTITY, t: [0, 0, 0] } }];
      },
      'loops[0].b: Expected an object, got nothing.',
    ],
    [
      'a shape without a kind',
      (d) => {
        d.bodies[0].visuals = [{ geometry: {}, E: IDENTITY, t: [0, 0, 0] }];
      },
      'bodies[0].visuals[0].geometry.kind: Expected one of box, cylinder, capsule, sphere, plane, ellipsoid, cone, hull, heights, mesh, got nothing.',
    ],
    [
      'a path that leads out',
      (d) => {
        d.bodies[0].visuals = [
          { geometry: { kind: 'mesh', path: '../x', scale: [1, 1, 1] }, E: IDENTITY, t: [0, 0, 0] },
        ];
      },
      'bodies[0].visuals[0].geometry.path: Expected a path that does not leave its folder by "..", got "../x".',
    ],
    [
      'a state for nobody',
      (d) => {
        d.state.b7 = { q: 0, qd: 0 };
      },
      'state.b7: Expected the name of a body, got "b7".',
    ],
    [
      'a state for nobody, with an odd name',
      (d) => {
        d.state['b 7'] = { q: 0, qd: 0 };
      },
      'state["b 7"]: Expected the name of a body, got "b 7".',
    ],
    [
      'a state without q',
      (d) => {
        d.state.b0 = { qd: 0 };
      },
      'state.b0.q: Expected a finite number, got nothing.',
    ],
    [
      'too many coordinates',
      (d) => {
        d.state.b0.q = [1, 2];
      },
      'state.b0.q: Expected a finite number, got an array of 2.',
    ],
    [
      'velocities of the wrong kind',
      (d) => {
        d.state.b0.qd = 'fast';
      },
      'state.b0.qd: Expected a finite number, got "fast".',
    ],
  ];

  it.each(cases)('%s', (_, change, message) => {
    expect(problemsOf(changed(change))).toEqual([`m.json: ${message}`]);
  });

  it('a quaternion that is none', () => {
    const spherical = (q: number[]) =>
      changed((d) => {
        d.bodies[0].joint = { type: 'spherical' };
        d.state.b0 = { q, qd: [0, 0, 0] };
      });
    expect(problemsOf(spherical([2, 0, 0, 0]))).toEqual([
      'm.json: state.b0.q: Expected a unit quaternion, got one of length 2.',
    ]);
    // Few digits are made good.
    const { q } = parseDescription(spherical([0.6, 0, 0.8004, 0])).state;
    expect(Math.hypot(...q)).toBeCloseTo(1, 15);
    expect(q[2] / q[0]).toBeCloseTo(0.8004 / 0.6, 15);
  });

  it('what createMechanism finds, with its place', () => {
    const twice = changed((d) => d.bodies.push(structuredClone(d.bodies[0])));
    const problems = problemsOf(twice);
    expect(problems).toContain('m.json: bodies[1], body "b0": Another body has this name; give each its own.');
    expect(
      problemsOf(
        changed((d) => {
          d.bodies[0].parent = 'nobody';
        }),
      ),
    ).toEqual(['m.json: bodies[0].joint, joint "j0": There is no body "nobody" to hang from. There are: b0.']);
    expect(
      problemsOf(
        changed((d) => {
          d.bodies[0].E = IDENTITY.map((e) => 2 * e);
        }),
      ),
    ).toEqual(['m.json: bodies[0].joint, joint "j0": E must be a rotation matrix; it is off by 3.00.']);
  });

  it('values that cannot be printed', () => {
    const odd = { toString: 1, valueOf: null };
    expect(problemsOf(changed((d) => Object.assign(d.bodies[0].joint, { type: odd })))[0]).toMatch(
      /, got an object\.$/,
    );
    const shape = { geometry: { kind: odd }, E: IDENTITY, t: [0, 0, 0] };
    expect(problemsOf(changed((d) => Object.assign(d.bodies[0], { visuals: [shape] })))[0]).toMatch(
      /, got an object\.$/,
    );
    expect(problemsOf(changed((d) => Object.assign(d, { gravity: odd })))[0]).toMatch(/, got an object\.$/);
  });

  it('everything at once', () => {
    const problems = problemsOf(
      changed((d) => {
        d.gravity = 9.81;
        d.bodies[0].mass = 'heavy';
        d.bodies[0].joint.axis = [0, 0];
      }),
    );
    expect(problems).toEqual(
      [
        'm.json: gravity: Expected 3 finite numbers, got 9.81.',
        'm.json: bodies[0].joint.axis: Expected 3 finite numbers, got 2.',
        'm.json: bodies[0].mass: Expected a finite number, got "heavy".',
      ].sort((a, b) => problems.indexOf(a) - problems.indexOf(b)),
    );
  });

  it('texts that are not JSON, with line and column', () => {
    expect(problemsOf('{\n  "gravity": [0, 0,, 1]\n}')).toEqual([
      'm.json:2:20: This is not JSON: "," does not belong here.',
    ]);
    expect(problemsOf('{"gravity"')).toEqual(['m.json:1:11: This is not JSON: the text ends too soon.']);
    expect(problemsOf('')).toEqual(['m.json:1:1: This is not JSON: the text ends too soon.']);
    expect(problemsOf('[1]')).toEqual(['m.json: Expected an object, got an array of 1.']);
  });

  it('texts of a size that no mechanism has, and nesting without end', () => {
    expect(problemsOf(' '.repeat(MAX_INPUT_BYTES + 1))).toEqual([
      'm.json: The input has 67108865 bytes (64 MiB); at most 64 MiB are read.',
    ]);
    expect(problemsOf('[],'.repeat(3_000_001))).toEqual([
      'm.json: A text of more than 3000000 lists and objects is not read.',
    ]);
    expect(problemsOf('['.repeat(1_000_000))[0]).toMatch(/This is not JSON/);
    const deep = `{"gravity": ${'['.repeat(100_000)}${']'.repeat(100_000)}, "bodies": []}`;
    expect(problemsOf(deep)).toEqual(['m.json: gravity: Expected 3 finite numbers, got 1.']);
  });
});

describe('keys', () => {
  it('that are not known are listed, each kind once', () => {
    const { mechanism } = parseDescription(
      changed((d) => {
        d.colour = 'red';
        d.bodies.push({ ...d.bodies[0], name: 'b1', parent: 'b0', joint: { type: 'fixed', dampng: 1 } });
        for (const body of d.bodies) body.note = '?';
        d['odd\nkey'] = 1;
      }),
      { file: 'm.json' },
    );
    expect(mechanism.warnings.map(({ where, message }) => `${where}: ${message}`)).toEqual([
      'm.json: colour: This key is not used.',
      'm.json: ["odd\\nkey"]: This key is not used.',
      'm.json: bodies[0].note: This key is not used (and 1 more of the kind).',
      'm.json: bodies[1].joint.dampng: This key is not used.',
    ]);
  });

  it('like __proto__ do no harm', () => {
    const text = formatJson(hinge())
      .replaceAll('"b0"', '"__proto__"')
      .replace('"mass": 1', '"mass": 1, "__proto__": {"polluted": 1}');
    const { mechanism, state } = parseDescription(text);
    expect(state.q[0]).toBe(0.1);
    const written = formatDescription(mechanism, state);
    expect(Object.keys(written.state!)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(written.state)).toBeNull();
    expect(formatJson(written)).toContain('"__proto__": {\n      "q": 0.1');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('that are inherited do not count', () => {
    const inherited = Object.create(hinge());
    expect(importProblems(() => parseDescription(inherited))).toHaveLength(2);
  });
});
