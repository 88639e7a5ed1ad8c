// What can be plotted, and from which numbers of a frame.

import type { Sample } from '../physics/protocol-sample.js';
import type { PageState } from '../store.js';
import { chosenJoint } from './chosen-joint.js';

export interface Series {
  readonly label: string;
  readonly stroke: string;
  readonly value: (sample: Sample) => number;
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
  const joint = chosenJoint(state)?.joint;
  if (joint === undefined || joint.nv === 0) return [];
  return [
    { label: `${joint.name} position`, stroke: BLUE, value: ofChosen(state, 'position') },
    { label: 'velocity', stroke: RED, value: ofChosen(state, 'velocity') },
  ];
}

/** A number of the chosen joint; none where the sample is of another one. */
function ofChosen({ picked }: PageState, name: keyof Sample): Series['value'] {
  return (sample) => (sample.member === picked?.member && sample.body === picked.body ? sample[name] : Number.NaN);
}

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
      { label: 'all, sizes', stroke: BLUE, value: ({ forces }) => forces },
      { label: 'largest', stroke: RED, value: ({ largest }) => largest },
      { label: 'upwards', stroke: GREEN, value: ({ upwards }) => upwards },
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
      return [{ label: `${name} along its axis`, stroke: BLUE, value: ofChosen(state, 'effort') }];
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
            { label: 'force', stroke: BLUE, value: ofChosen(state, 'force') },
            { label: 'moment', stroke: RED, value: ofChosen(state, 'moment') },
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
