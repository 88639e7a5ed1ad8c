// <equality>: what is written of constraints between bodies, joints and tendons.

import { type Fields, flag, leadingNumbers, number, numbers, text } from './mjcf-fields.js';

export interface EqualityData {
  name: string;
  class: string;
  active: boolean;
  solref: readonly number[];
  solimp: readonly number[];
  body1: string;
  body2: string;
  site1: string;
  site2: string;
  joint1: string;
  joint2: string;
  tendon1: string;
  tendon2: string;
  anchor: readonly number[] | undefined;
  relpose: readonly number[];
  torquescale: number;
  polycoef: readonly number[];
}

export const DEFAULT_EQUALITY: EqualityData = {
  name: '',
  class: '',
  active: true,
  solref: [0.02, 1],
  solimp: [0.9, 0.95, 0.001, 0.5, 2],
  body1: '',
  body2: '',
  site1: '',
  site2: '',
  joint1: '',
  joint2: '',
  tendon1: '',
  tendon2: '',
  anchor: undefined,
  // Without a quaternion: as the bodies stand in the pose that the file draws.
  relpose: [0, 0, 0, 0, 0, 0, 0],
  torquescale: 1,
  polycoef: [0, 1, 0, 0, 0],
};

export const EQUALITY_FIELDS: Fields<EqualityData> = new Map([
  ['name', text<EqualityData>('name')],
  ['class', text<EqualityData>('class')],
  ['active', flag<EqualityData>('active')],
  ['solref', leadingNumbers<EqualityData>('solref', 2)],
  ['solimp', leadingNumbers<EqualityData>('solimp', 5)],
  ['body1', text<EqualityData>('body1')],
  ['body2', text<EqualityData>('body2')],
  ['site1', text<EqualityData>('site1')],
  ['site2', text<EqualityData>('site2')],
  ['joint1', text<EqualityData>('joint1')],
  ['joint2', text<EqualityData>('joint2')],
  ['tendon1', text<EqualityData>('tendon1')],
  ['tendon2', text<EqualityData>('tendon2')],
  ['anchor', numbers<EqualityData>('anchor', 3)],
  ['relpose', numbers<EqualityData>('relpose', 7)],
  ['torquescale', number<EqualityData>('torquescale')],
  ['polycoef', leadingNumbers<EqualityData>('polycoef', 5)],
]);
