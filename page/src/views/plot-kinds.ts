// What can be plotted, and from which numbers of a frame.

import type { Frame } from '../physics/protocol.js';
import type { PageState } from '../store.js';
import { chosenJoint } from './chosen-joint.js';

export interface Series {
  readonly label: string;
  readonly stroke: string;
  readonly value: (frame: Frame) => number;
}

export interface Kind {
  readonly name: string;
  readonly unit: string;
  /** Whether its curves are of the chosen joint, and begin again with another one. */
  readonly chosen?: boolean;
  /** The second series over the first, and not both over time. */
  readonly portrait?: boolean;
  /** None where there is nothing to plot: then `missing` says why. */
  readonly series: (state: PageState) => readonly Series[];
  readonly missing?: string;
}

const BLUE = '#1f77d0';
const RED = '#d33a2c';
const GREEN = '#2ca02c';
const ORANGE = '#e8710a';
const CHOOSE = 'Choose a body whose joint can move: click it, or press n.';

/** Position and velocity of the first degree of freedom of the chosen joint. */
function motionOf(state: PageState): readonly Series[] {
  const found = chosenJoint(state);
  if (found === undefined || found.joint.nv === 0) return [];
  const { joint, q, v } = found;
  return [
    { label: `${joint.name} position`, stroke: BLUE, value: (frame) => frame.q[q] },
    { label: 'velocity', stroke: RED, value: (frame) => frame.v[v] },
  ];
}

/** Newtons of all contacts: of each its size, or its part upwards. */
function contactForces({ contactForces: f }: Frame, of: (x: number, y: number, z: number) => number): number[] {
  return Array.from({ length: f.length / 6 }, (_, k) => of(f[6 * k + 3], f[6 * k + 4], f[6 * k + 5]));
}
const total = (sum: number, x: number): number => sum + x;

export const KINDS: readonly Kind[] = [
  {
    name: 'Energy',
    unit: 'J',
    series: () => [
      { label: 'kinetic', stroke: RED, value: ({ kinetic }) => kinetic },
      { label: 'potential', stroke: BLUE, value: ({ potential }) => potential },
      { label: 'total', stroke: GREEN, value: ({ kinetic, potential }) => kinetic + potential },
      { label: 'put in', stroke: ORANGE, value: ({ work }) => work },
    ],
  },
  {
    name: 'Contact forces',
    unit: 'N',
    series: () => [
      { label: 'all, sizes', stroke: BLUE, value: (frame) => contactForces(frame, Math.hypot).reduce(total, 0) },
      { label: 'largest', stroke: RED, value: (frame) => Math.max(0, ...contactForces(frame, Math.hypot)) },
      { label: 'upwards', stroke: GREEN, value: (frame) => contactForces(frame, (_x, _y, z) => z).reduce(total, 0) },
    ],
  },
  {
    name: 'Contacts',
    unit: '',
    series: () => [
      { label: 'points', stroke: BLUE, value: ({ contacts }) => contacts },
      { label: 'depth, 0.1 mm', stroke: RED, value: ({ depth }) => 1e4 * depth },
    ],
  },
  { name: 'Chosen joint', unit: 'rad, rad/s', chosen: true, series: motionOf, missing: CHOOSE },
  {
    name: 'Its torque',
    unit: 'N m',
    chosen: true,
    series: (state) => {
      const found = chosenJoint(state);
      if (found === undefined || found.joint.nv !== 1) return [];
      const { name } = found.joint;
      return [
        { label: `${name} along its axis`, stroke: BLUE, value: ({ jointForce }) => jointForce?.effort ?? Number.NaN },
      ];
    },
    missing: 'Choose a body on a joint of one degree of freedom.',
  },
  {
    name: 'Its force',
    unit: 'N, N m',
    chosen: true,
    series: (state) =>
      chosenJoint(state) === undefined
        ? []
        : [
            { label: 'force', stroke: BLUE, value: ({ jointForce }) => size(jointForce?.force) },
            { label: 'moment', stroke: RED, value: ({ jointForce }) => size(jointForce?.moment) },
          ],
    missing: CHOOSE,
  },
  {
    name: 'Phase portrait',
    unit: 'rad/s over rad',
    chosen: true,
    portrait: true,
    series: motionOf,
    missing: CHOOSE,
  },
];

function size(x: readonly number[] | undefined): number {
  return x === undefined ? Number.NaN : Math.hypot(...x);
}
