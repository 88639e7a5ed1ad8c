import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mechanicalEnergy } from '../../src/dynamics/once.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { parseExternalLoads } from '../../src/formats/external-loads.js';
import { osimMechanism, parseOsim } from '../../src/formats/osim.js';
import {
  type CoordinateFunction,
  naturalCubicSpline,
  piecewiseLinearFunction,
  polynomialFunction,
  scaledFunction,
  simmSpline,
} from '../../src/formats/osim-function.js';
import { Random } from '../../src/mechanism/random.js';
import { State } from '../../src/mechanism/state.js';
import { CoordinateModel } from '../../src/motion/coordinate-motion.js';
import { add, apply, multiply, rotationAbout, scale, type Vec3 } from '../../src/spatial/matrix3.js';
import { importProblems } from './support.js';

const at = (f: CoordinateFunction, x: number): number[] => {
  const out = new Float64Array(3);
  f.evaluate(out, x);
  return [...out];
};

/** Points with x in order. */
const points = fc
  .array(fc.tuple(fc.double({ min: 0.05, max: 1, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true })), {
    minLength: 2,
    maxLength: 12,
  })
  .map((list) => {
    let x = -1;
    return list.map(([step, y]) => {
      x += step;
      return [x, y] as const;
    });
  });

describe('functions of a coordinate', () => {
  it.each([
    ['SimmSpline', simmSpline],
    ['NaturalCubicSpline', naturalCubicSpline],
  ])('a %s goes through its points with continuous slope and curvature', (_name, spline) => {
    fc.assert(
      fc.property(points, (list) => {
        const f = spline(
          list.map(([x]) => x),
          list.map(([, y]) => y),
        );
        list.forEach(([x, y], k) => {
          expect(at(f, x)[0]).toBeCloseTo(y, 9);
          if (k === 0 || k === list.length - 1) return;
          const [before, after] = [at(f, x - 1e-9), at(f, x + 1e-9)];
          for (const d of [0, 1, 2])
            expect(Math.abs(before[d] - after[d])).toBeLessThan(1e-4 * (1 + Math.abs(after[d])));
        });
        // Beyond the ends it goes straight on.
        const [end] = list[list.length - 1];
        const [y0, slope] = at(f, end);
        expect(at(f, end + 2)).toEqual([expect.closeTo(y0 + 2 * slope, 6), expect.closeTo(slope, 6), 0]);
      }),
    );
  });

  it('a SimmSpline through points of a cubic is the cubic, through three points the parabola, through two the line', () => {
    const cubic = (x: number): number[] => [2 * x ** 3 - x ** 2 + 3, 6 * x * x - 2 * x, 12 * x - 2];
    const xs = [-1, -0.7, 0.1, 0.4, 1.3];
    const f = simmSpline(
      xs,
      xs.map((x) => cubic(x)[0]),
    );
    for (const x of [-0.9, -0.5, 0.2, 0.9, 1.2])
      at(f, x).forEach((value, d) => {
        expect(value).toBeCloseTo(cubic(x)[d], 10);
      });
    const parabola = simmSpline([0, 1, 3], [0, 1, 9]);
    expect(at(parabola, 2)).toEqual([expect.closeTo(4, 12), expect.closeTo(4, 12), expect.closeTo(2, 12)]);
    expect(at(simmSpline([0, 2], [1, 5]), 1)).toEqual([3, 2, 0]);
    // A natural spline is another one: no curvature at its ends.
    expect(
      at(
        naturalCubicSpline(
          xs,
          xs.map((x) => cubic(x)[0]),
        ),
        -1,
      )[2],
    ).toBeCloseTo(0, 12);
  });

  it('its end condition: the third derivative of the cubic through the four points there', () => {
    const [x, y] = [
      [-2.0944, -1.22173, -0.523599, -0.349066, -0.174533, 0.159149, 2.0944],
      [-0.4226, -0.4082, -0.399, -0.3976, -0.3966, -0.395264, -0.396],
    ];
    const f = simmSpline(x, y);
    const third = (k: number): number => {
      // 6 times the third divided difference, by Lagrange's formula.
      let sum = 0;
      for (let i = k; i < k + 4; i++) {
        let product = 1;
        for (let j = k; j < k + 4; j++) if (j !== i) product *= x[i] - x[j];
        sum += y[i] / product;
      }
      return 6 * sum;
    };
    const slopeOfCurvature = (a: number, b: number): number => (at(f, b)[2] - at(f, a)[2]) / (b - a);
    expect(slopeOfCurvature(x[0], x[1] - 1e-9)).toBeCloseTo(third(0), 6);
    expect(slopeOfCurvature(x[5] + 1e-9, x[6])).toBeCloseTo(third(3), 6);
  });

  it('slopes and curvatures are those of the values', () => {
    const functions = [
      simmSpline([-1, -0.3, 0.2, 0.9, 1.5], [0.3, -0.2, 0.5, 0.1, 0.7]),
      naturalCubicSpline([-1, -0.3, 0.2, 0.9, 1.5], [0.3, -0.2, 0.5, 0.1, 0.7]),
      polynomialFunction([2, -1, 0.5, 3]),
      scaledFunction(-1.7, polynomialFunction([1, 0, 2])),
      piecewiseLinearFunction([-1, 0, 2], [0, 1, -1]),
    ];
    const h = 1e-4;
    for (const f of functions)
      for (const x of [-0.8, -0.1, 0.5, 1.1, 1.9]) {
        const [, slope, curvature] = at(f, x);
        const [a, b, c] = [x - h, x, x + h].map((place) => at(f, place)[0]);
        expect((c - a) / (2 * h)).toBeCloseTo(slope, 5);
        expect((c - 2 * b + a) / (h * h)).toBeCloseTo(curvature, 2);
      }
  });
});

const frame = (name: string, body: string, translation = '0 0 0', orientation = '0 0 0'): string =>
  `<PhysicalOffsetFrame name="${name}"><socket_parent>/bodyset/${body}</socket_parent><translation>${translation}</translation><orientation>${orientation}</orientation></PhysicalOffsetFrame>`;
const coordinate = (name: string, value = 0): string =>
  `<Coordinate name="${name}"><default_value>${value}</default_value></Coordinate>`;
const transformAxis = (name: string, of: string, axis: string, f: string): string =>
  `<TransformAxis name="${name}"><coordinates>${of}</coordinates><axis>${axis}</axis>${f}</TransformAxis>`;
const constant = (value: number): string => `<Constant><value>${value}</value></Constant>`;
const LINE = '<LinearFunction><coefficients> 1 0</coefficients></LinearFunction>';
const SPLINE =
  '<MultiplierFunction><function><SimmSpline><x>-2 -1 0 1 2</x><y>0.02 0.05 0.01 -0.03 0.02</y></SimmSpline></function><scale>1.5</scale></MultiplierFunction>';

function body(name: string, mass = 2): string {
  return `<Body name="${name}"><mass>${mass}</mass><mass_center>0.05 -0.2 0.01</mass_center><inertia>0.03 0.01 0.035 0.001 0 -0.002</inertia></Body>`;
}

const KNEE = `<CustomJoint name="knee"><socket_parent_frame>thigh_offset</socket_parent_frame><socket_child_frame>shank_offset</socket_child_frame>
<coordinates>${coordinate('knee_angle', 0.1)}</coordinates>
<frames>${frame('thigh_offset', 'thigh', '0.01 -0.4 0', '0.1 0.2 -0.3')}${frame('shank_offset', 'shank', '0 0.02 0', '0 0.1 0')}</frames>
<SpatialTransform>
${transformAxis('rotation1', 'knee_angle', '0 0 1', LINE)}
${transformAxis('rotation2', '', '0 1 0', constant(0.2))}
${transformAxis('rotation3', 'knee_angle', '1 0 0', '<LinearFunction><coefficients>-0.3 0.1</coefficients></LinearFunction>')}
${transformAxis('translation1', 'knee_angle', '1 0 0', SPLINE)}
${transformAxis('translation2', '', '0 1 0', constant(-0.05))}
${transformAxis('translation3', '', '0 0 1', `<MultiplierFunction><function>${constant(0)}</function></MultiplierFunction>`)}
</SpatialTransform></CustomJoint>`;

const HIP = `<PinJoint name="hip"><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>thigh_offset</socket_child_frame>
<coordinates>${coordinate('hip_angle')}</coordinates><frames>${frame('thigh_offset', 'thigh')}</frames></PinJoint>`;

const FOOT = `<WeldJoint name="ankle"><socket_parent_frame>shank_offset</socket_parent_frame><socket_child_frame>calcn_r</socket_child_frame><frames>${frame('shank_offset', 'shank', '0 -0.4 0', '0 0 0.5')}</frames></WeldJoint>`;

function osim(
  bodies = ['thigh', 'shank', 'calcn_r'],
  joints = [HIP, KNEE, FOOT],
  more = '',
  version = '40000',
): string {
  return `<?xml version="1.0"?><OpenSimDocument Version="${version}"><Model name="leg"><gravity>0 -9.8 0</gravity>
<BodySet><objects>${bodies.map((name) => body(name)).join('\n')}</objects></BodySet>
<JointSet><objects>${joints.join('\n')}</objects></JointSet>${more}</Model></OpenSimDocument>`;
}

describe('an OpenSim model', () => {
  const parsed = parseOsim(osim());
  const model = CoordinateModel.ofOsim(parsed);
  const { mechanism } = parsed;

  /** q, v, qdd for coordinates and rates. */
  const moved = (s: readonly number[], sd: readonly number[], sdd: readonly number[]) =>
    model.trajectory({
      start: 0,
      interval: 1,
      count: 1,
      s: Float64Array.from(s),
      sd: Float64Array.from(sd),
      sdd: Float64Array.from(sdd),
    });

  const stateAt = (s: readonly number[], sd: readonly number[] = [0, 0]): State => {
    const { q, v } = moved(s, sd, [0, 0]);
    const state = new State(mechanism);
    state.q.set(q);
    state.v.set(v);
    return state;
  };

  it('has its coordinates in the order of the file, and a chain for the knee', () => {
    expect(parsed.coordinates.map(({ name, rotational, defaultValue }) => [name, rotational, defaultValue])).toEqual([
      ['hip_angle', true, 0],
      ['knee_angle', true, 0.1],
    ]);
    expect(mechanism.joints.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'hip_angle revolute',
      'knee:translation1 prismatic',
      'knee_angle revolute',
      'knee:rotation3 revolute',
      'knee fixed',
      'ankle fixed',
    ]);
    expect(mechanism.gravity).toEqual([0, -9.8, 0]);
  });

  it('puts its bodies where its frames and functions say', () => {
    for (const [hip, knee] of [
      [0.3, 0.7],
      [-0.5, -2.3],
    ]) {
      const poses = new PlainDynamics(mechanism).poses(stateAt([hip, knee]));
      const [X, Y, Z]: Vec3[] = [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ];
      const spline = at(scaledFunction(1.5, simmSpline([-2, -1, 0, 1, 2], [0.02, 0.05, 0.01, -0.03, 0.02])), knee)[0];
      // Thigh to ground, the knee's frame in the thigh, what the joint does, and back from the shank's frame.
      const R1 = rotationAbout(Z, hip);
      const R2 = multiply(rotationAbout(X, 0.1), multiply(rotationAbout(Y, 0.2), rotationAbout(Z, -0.3)));
      const R3 = multiply(rotationAbout(Z, knee), multiply(rotationAbout(Y, 0.2), rotationAbout(X, -0.3 * knee + 0.1)));
      const toFrame = multiply(R1, multiply(R2, R3));
      const knot = add(apply(R1, [0.01, -0.4, 0]), apply(multiply(R1, R2), [spline, -0.05, 0]));
      const back = rotationAbout(Y, -0.1);
      const R = multiply(toFrame, back);
      const origin = add(knot, apply(R, scale(-1, [0, 0.02, 0])));
      const b = mechanism.bodyIndex('shank');
      const E = poses.subarray(12 * b, 12 * b + 9);
      for (let i = 0; i < 3; i++) {
        expect(poses[12 * b + 9 + i]).toBeCloseTo(origin[i], 12);
        for (let j = 0; j < 3; j++) expect(E[3 * j + i]).toBeCloseTo(R[3 * i + j], 12);
      }
    }
  });

  it('gives the forces of its coordinates that Lagrange finds from its energies', () => {
    const random = new Random(3);
    // L(s, s') by the kinetic and potential energy of the whole.
    const L = (s: readonly number[], sd: readonly number[]): number => {
      const { kinetic, potential } = mechanicalEnergy(mechanism, stateAt(s, sd));
      return kinetic - potential;
    };
    const h = 1e-3;
    for (let trial = 0; trial < 20; trial++) {
      const draw = (): [number, number] => [random.between(-1.5, 1.5), random.between(-1.5, 1.5)];
      const [s, sd, sdd] = [draw(), draw(), draw()];
      const with_ = (x: readonly number[], k: number, d: number): number[] =>
        x.map((value, i) => (i === k ? value + d : value));
      // Fourth-order differences of L along the motion s(t), s'(t).
      const slope = (f: (d: number) => number): number => (f(-2 * h) - 8 * f(-h) + 8 * f(h) - f(2 * h)) / (12 * h);
      const expected = [0, 1].map((k) => {
        const momentum = (t: number): number => {
          const st = s.map((value, i) => value + t * sd[i] + (t * t * sdd[i]) / 2);
          const sdt = sd.map((value, i) => value + t * sdd[i]);
          return slope((d) => L(st, with_(sdt, k, d)));
        };
        return slope(momentum) - slope((d) => L(with_(s, k, d), sd));
      });
      const { q, v, qdd } = moved(s, sd, sdd);
      const state = new State(mechanism);
      state.q.set(q);
      state.v.set(v);
      const got = new Float64Array(2);
      model.generalised(got, Float64Array.from(s), 0, new PlainDynamics(mechanism).inverse(state, qdd));
      got.forEach((value, k) => {
        expect(value).toBeCloseTo(expected[k], 5);
      });
    }
  });

  it('alone is a mechanism of its coordinates: lines are coupled, curves stand still, and it says so', () => {
    const alone = osimMechanism(parsed);
    expect(alone.nv - alone.couplings.length).toBe(2);
    expect(alone.joints.map(({ type }) => type)).toEqual([
      'revolute',
      'fixed',
      'revolute',
      'revolute',
      'fixed',
      'fixed',
    ]);
    expect(alone.warnings.map(({ code }) => code)).toEqual(['curve']);
    const state = new State(alone).set('hip_angle', 0.4).set('knee_angle', 0.1).applyCouplings();
    const here = new PlainDynamics(alone).poses(state);
    const there = new PlainDynamics(mechanism).poses(stateAt([0.4, 0.1]));
    here.forEach((value, k) => {
      expect(value).toBeCloseTo(there[k], 12);
    });
  });

  it('has plain joints of every known type', () => {
    const joint = (type: string, names: readonly string[]): string =>
      `<${type} name="j"><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/thigh</socket_child_frame><coordinates>${names.map((name) => coordinate(name)).join('')}</coordinates></${type}>`;
    const types = (type: string, n: number): string[] =>
      parseOsim(osim(['thigh'], [joint(type, ['a', 'b', 'c'].slice(0, n))])).mechanism.joints.map(
        ({ name, type: kind, axis }) => `${name} ${kind} ${axis.join('')}`,
      );
    expect(types('SliderJoint', 1)).toEqual(['a prismatic 100']);
    expect(types('UniversalJoint', 2)).toEqual(['a revolute 100', 'b revolute 010']);
    expect(types('GimbalJoint', 3)).toEqual(['a revolute 100', 'b revolute 010', 'c revolute 001']);
    expect(types('PlanarJoint', 3)).toEqual(['b prismatic 100', 'c prismatic 010', 'a revolute 001']);
    expect(types('WeldJoint', 0)).toEqual(['j fixed 001']);
    const [problem] = importProblems(() => parseOsim(osim(['thigh'], [joint('PinJoint', ['a', 'b'])])));
    expect(problem.message).toBe('A PinJoint has 1 coordinates, got 2.');
  });

  it.each([
    ['another document', '<robot/>', /Expected <OpenSimDocument>/],
    ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><OpenSimDocument/>', /Document type and entity declarations/],
    ['an old format', osim(undefined, undefined, '', '30000'), /format 30000; save it with OpenSim 4/],
    [
      'a joint of an unknown type',
      osim(['thigh'], ['<BallJoint name="j"/>']),
      /A BallJoint is not read; known are CustomJoint/,
    ],
    ['a body without mass', osim().replace('<mass>2</mass>', ''), /needs a <mass>/],
    [
      'a mass that is none',
      osim().replace('<mass>2</mass>', '<mass>two</mass>'),
      /<mass>: expected a finite number, got "two"/,
    ],
    [
      'three numbers of inertia',
      osim().replace('0.03 0.01 0.035 0.001 0 -0.002', '1 1 1'),
      /<inertia>: expected 6 finite numbers/,
    ],
    ['a body that hangs from nothing', osim(['thigh', 'shank', 'calcn_r', 'arm']), /Body "arm" hangs from no joint/],
    ['a joint to nowhere', osim(['thigh', 'shank']), /there is no body "calcn_r"/],
    [
      'a body carried twice',
      osim(undefined, [HIP, KNEE, FOOT, FOOT.replace('ankle', 'other')]),
      /another joint carries "calcn_r"/,
    ],
    [
      'a coordinate twice',
      osim().replace('"knee_angle"', '"hip_angle"'),
      /coordinate "hip_angle"|no coordinate "knee_angle"/,
    ],
    [
      'a function of a coordinate of another joint',
      osim().replace('<coordinates>knee_angle<', '<coordinates>hip_angle<'),
      /The joint has no coordinate "hip_angle"/,
    ],
    [
      'a function of two coordinates',
      osim().replace('<coordinates>knee_angle<', '<coordinates>knee_angle b<'),
      /depends on 2 coordinates/,
    ],
    ['an unknown function', osim().replaceAll('SimmSpline', 'MagicSpline'), /needs one of these functions: Constant/],
    ['a spline that goes back', osim().replace('-2 -1 0 1 2', '-2 -1 0 0 2'), /Its x must increase/],
    ['a spline with too few y', osim().replace('0.02 0.05 0.01 -0.03 0.02', '1'), /as many x as y/],
    ['a torn file', osim().slice(0, 900), /not well-formed XML/],
  ])('with %s is refused', (_what, text, expected) => {
    const problems = importProblems(() => parseOsim(text, { file: 'm.osim' }));
    expect(problems.map(({ where, message }) => `${where} ${message}`).join('\n')).toMatch(expected);
    for (const { where } of problems) expect(where).toMatch(/^m\.osim(:\d+:\d+)?/);
  });

  it('warns of constraints and forces that it does not use', () => {
    const more =
      '<ConstraintSet><objects><CoordinateCouplerConstraint/></objects></ConstraintSet><ForceSet><objects><Muscle/></objects></ForceSet>';
    const { warnings } = parseOsim(osim(undefined, undefined, more)).mechanism;
    expect(warnings.map(({ code }) => code)).toEqual(['constraint', 'forces']);
  });
});

describe('external loads', () => {
  const force = (inside: string): string => `<ExternalForce name="right">${inside}</ExternalForce>`;
  const loads = (inside: string, datafile = 'grf.mot'): string =>
    `<OpenSimDocument Version="30000"><ExternalLoads name="g"><objects>${inside}</objects><datafile>${datafile}</datafile></ExternalLoads></OpenSimDocument>`;
  const FULL =
    '<applied_to_body>/bodyset/calcn_r</applied_to_body><force_expressed_in_body>ground</force_expressed_in_body><point_expressed_in_body>calcn_r</point_expressed_in_body><force_identifier>f_v</force_identifier><point_identifier>f_p</point_identifier><torque_identifier>Unassigned</torque_identifier>';

  it('are read; what is switched off is left out', () => {
    const off = force(`<isDisabled>true</isDisabled>${FULL}`) + force(`<appliesForce>false</appliesForce>${FULL}`);
    expect(parseExternalLoads(loads(force(FULL) + off))).toEqual({
      dataFile: 'grf.mot',
      forces: [
        {
          name: 'right',
          body: 'calcn_r',
          forceFrame: 'ground',
          pointFrame: 'calcn_r',
          force: 'f_v',
          point: 'f_p',
          torque: undefined,
        },
      ],
    });
  });

  it.each([
    ['another document', '<OpenSimDocument/>', /There is no <ExternalLoads> in <OpenSimDocument>/],
    ['nothing in it', loads(''), /no <ExternalForce> that is switched on/],
    ['no table', loads(force(FULL), ''), /The <datafile> with the forces is not named/],
    ['no body', loads(force('<force_identifier>f</force_identifier>')), /needs an <applied_to_body>/],
    ['no force', loads(force('<applied_to_body>b</applied_to_body>')), /names neither force nor torque/],
    ['a strange flag', loads(force(`<isDisabled>perhaps</isDisabled>${FULL}`)), /expected true or false/],
  ])('with %s are refused', (_what, text, expected) => {
    const problems = importProblems(() => parseExternalLoads(text, { file: 'l.xml' }));
    expect(problems.map(({ message }) => message).join('\n')).toMatch(expected);
  });
});
