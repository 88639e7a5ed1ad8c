// Actuators with names of their own: motor, position, velocity and so on. Each is a <general> actuator whose laws are set
// from a few parameters, which can be read back from a default class of the same kind.

import type { ActuatorData } from './mjcf-actuator.js';

export type ShortcutName =
  | 'motor'
  | 'position'
  | 'velocity'
  | 'intvelocity'
  | 'damper'
  | 'cylinder'
  | 'muscle'
  | 'adhesion';

type Values = (name: string) => readonly number[];

interface Shortcut {
  /** A default class written as <general> counts where its gain is of this kind. */
  readonly gaintype: string;
  /** Names of the parameters and what they are where nobody says. */
  readonly parameters: ReadonlyMap<string, readonly number[]>;
  /** The parameters that a class has. */
  readonly parametersOf: (data: ActuatorData) => readonly (readonly [string, readonly number[]])[];
  readonly set: (value: Values, data: ActuatorData) => Partial<ActuatorData>;
}

/** Ten numbers, zero behind those given. */
const ten = (...values: readonly number[]): number[] => Array.from({ length: 10 }, (_, k) => values[k] ?? 0);

/** A servo's third bias parameter: -kv, or the damping ratio as a positive number. */
const servoDamping = (value: Values): number => (value('dampratio')[0] > 0 ? value('dampratio')[0] : -value('kv')[0]);

const servoParameters = ({ gainprm, biasprm }: ActuatorData) =>
  [
    ['kp', [gainprm[0]]],
    ['kv', [Math.max(0, -biasprm[2])]],
    ['dampratio', [Math.max(0, biasprm[2])]],
  ] as const;

const MUSCLE_NAMES = ['range', 'force', 'scale', 'lmin', 'lmax', 'vmax', 'fpmax', 'fvmax'] as const;

export const SHORTCUTS: ReadonlyMap<ShortcutName, Shortcut> = new Map<ShortcutName, Shortcut>([
  [
    'motor',
    {
      gaintype: 'fixed',
      parameters: new Map(),
      parametersOf: () => [],
      // The bias of the class stays, unused here: a servo of the same class has its damping from there.
      set: () => ({ dyntype: 'none', gaintype: 'fixed', biastype: 'none', gainprm: ten(1) }),
    },
  ],
  [
    'position',
    {
      gaintype: 'fixed',
      parameters: new Map([
        ['kp', [1]],
        ['kv', [0]],
        ['dampratio', [0]],
        ['timeconst', [0]],
        ['inheritrange', [0]],
      ]),
      parametersOf: (data) => [
        ...servoParameters(data),
        ['timeconst', [data.dyntype === 'filterexact' ? data.dynprm[0] : 0]],
        ['inheritrange', [data.inheritrange]],
      ],
      set: (value, data) => {
        const [timeconst] = value('timeconst');
        return {
          dyntype: timeconst > 0 ? 'filterexact' : 'none',
          dynprm: timeconst > 0 ? ten(timeconst) : data.dynprm,
          gaintype: 'fixed',
          biastype: 'affine',
          gainprm: ten(value('kp')[0]),
          biasprm: ten(0, -value('kp')[0], servoDamping(value)),
          inheritrange: value('inheritrange')[0],
        };
      },
    },
  ],
  [
    'intvelocity',
    {
      gaintype: 'fixed',
      parameters: new Map([
        ['kp', [1]],
        ['kv', [0]],
        ['dampratio', [0]],
        ['inheritrange', [0]],
      ]),
      parametersOf: (data) => [...servoParameters(data), ['inheritrange', [data.inheritrange]]],
      set: (value) => ({
        dyntype: 'integrator',
        actlimited: 'true',
        gaintype: 'fixed',
        biastype: 'affine',
        gainprm: ten(value('kp')[0]),
        biasprm: ten(0, -value('kp')[0], servoDamping(value)),
        inheritrange: value('inheritrange')[0],
      }),
    },
  ],
  [
    'velocity',
    {
      gaintype: 'fixed',
      parameters: new Map([['kv', [1]]]),
      parametersOf: ({ gainprm }) => [['kv', [gainprm[0]]]],
      set: (value) => ({
        dyntype: 'none',
        gaintype: 'fixed',
        biastype: 'affine',
        gainprm: ten(value('kv')[0]),
        biasprm: ten(0, 0, -value('kv')[0]),
      }),
    },
  ],
  [
    'damper',
    {
      gaintype: 'affine',
      parameters: new Map([['kv', [0]]]),
      parametersOf: ({ gainprm }) => [['kv', [-gainprm[2]]]],
      set: (value) => ({
        dyntype: 'none',
        ctrllimited: 'true',
        gaintype: 'affine',
        biastype: 'none',
        gainprm: ten(0, 0, -value('kv')[0]),
        biasprm: ten(),
      }),
    },
  ],
  [
    'cylinder',
    {
      gaintype: 'fixed',
      parameters: new Map([
        ['timeconst', [1]],
        ['area', [1]],
        ['diameter', [-1]],
        ['bias', [0, 0, 0]],
      ]),
      parametersOf: ({ dynprm, gainprm, biasprm }) => [
        ['timeconst', [dynprm[0]]],
        ['area', [gainprm[0]]],
        ['bias', biasprm.slice(0, 3)],
      ],
      set: (value) => {
        const [diameter] = value('diameter');
        return {
          dyntype: 'filter',
          gaintype: 'fixed',
          biastype: 'affine',
          dynprm: ten(value('timeconst')[0]),
          gainprm: ten(diameter >= 0 ? (Math.PI / 4) * diameter * diameter : value('area')[0]),
          biasprm: ten(...value('bias')),
        };
      },
    },
  ],
  [
    'muscle',
    {
      gaintype: 'muscle',
      parameters: new Map<string, readonly number[]>([
        ['timeconst', [0.01, 0.04]],
        ['tausmooth', [0]],
        ['range', [0.75, 1.05]],
        ['force', [-1]],
        ['scale', [200]],
        ['lmin', [0.5]],
        ['lmax', [1.6]],
        ['vmax', [1.5]],
        ['fpmax', [1.3]],
        ['fvmax', [1.2]],
      ]),
      parametersOf: ({ dynprm, gainprm }) => [
        ['timeconst', dynprm.slice(0, 2)],
        ['tausmooth', [dynprm[2]]],
        ['range', gainprm.slice(0, 2)],
        ...MUSCLE_NAMES.slice(1).map((name, k) => [name, [gainprm[k + 2]]] as const),
      ],
      set: (value) => {
        const prm = ten(...MUSCLE_NAMES.flatMap((name) => [...value(name)]));
        return {
          dyntype: 'muscle',
          gaintype: 'muscle',
          biastype: 'muscle',
          dynprm: ten(...value('timeconst'), value('tausmooth')[0]),
          gainprm: prm,
          biasprm: prm,
        };
      },
    },
  ],
  [
    'adhesion',
    {
      gaintype: 'fixed',
      parameters: new Map([['gain', [1]]]),
      parametersOf: ({ gainprm }) => [['gain', [gainprm[0]]]],
      set: (value) => ({
        dyntype: 'none',
        ctrllimited: 'true',
        gaintype: 'fixed',
        biastype: 'none',
        gainprm: ten(value('gain')[0]),
        biasprm: ten(),
      }),
    },
  ],
]);
