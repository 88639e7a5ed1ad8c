// <contact>: pairs of geoms that touch, pairs of bodies that never do.

import { type Fields, leadingNumbers, number, text } from './mjcf-fields.js';

export interface PairData {
  name: string;
  class: string;
  geom1: string;
  geom2: string;
  condim: number;
  friction: readonly number[];
  solref: readonly number[];
  solreffriction: readonly number[];
  solimp: readonly number[];
  margin: number;
  gap: number;
}

export const DEFAULT_PAIR: PairData = {
  name: '',
  class: '',
  geom1: '',
  geom2: '',
  condim: 3,
  friction: [1, 1, 0.005, 0.0001, 0.0001],
  solref: [0.02, 1],
  solreffriction: [0, 0],
  solimp: [0.9, 0.95, 0.001, 0.5, 2],
  margin: 0,
  gap: 0,
};

export const PAIR_FIELDS: Fields<PairData> = new Map([
  ['name', text<PairData>('name')],
  ['class', text<PairData>('class')],
  ['geom1', text<PairData>('geom1')],
  ['geom2', text<PairData>('geom2')],
  ['condim', number<PairData>('condim')],
  ['friction', leadingNumbers<PairData>('friction', 5)],
  ['solref', leadingNumbers<PairData>('solref', 2)],
  ['solreffriction', leadingNumbers<PairData>('solreffriction', 2)],
  ['solimp', leadingNumbers<PairData>('solimp', 5)],
  ['margin', number<PairData>('margin')],
  ['gap', number<PairData>('gap')],
]);

export interface ExcludeData {
  name: string;
  body1: string;
  body2: string;
}

export const EXCLUDE_FIELDS: Fields<ExcludeData> = new Map([
  ['name', text<ExcludeData>('name')],
  ['body1', text<ExcludeData>('body1')],
  ['body2', text<ExcludeData>('body2')],
]);
