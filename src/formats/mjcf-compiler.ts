// <compiler> and <option> of MJCF: how the rest of the file is to be understood, and how it is to be simulated.

import type { Vec3 } from '../spatial/matrix3.js';
import {
  type Fields,
  flag,
  keyword,
  leadingNumbers,
  manyNumbers,
  number,
  numbers,
  readFields,
  type Tristate,
  text,
  tristate,
  words,
} from './mjcf-fields.js';
import type { XmlElement } from './xml.js';

export interface Compiler {
  degree: boolean;
  eulerseq: string;
  autolimits: boolean;
  meshdir: string;
  strippath: boolean;
  inertiafromgeom: Tristate;
  inertiagrouprange: readonly number[];
  boundmass: number;
  boundinertia: number;
  balanceinertia: boolean;
  settotalmass: number;
  fitaabb: boolean;
  fusestatic: boolean;
  discardvisual: boolean;
  alignfree: boolean;
  coordinate: string;
}

const DEFAULT_COMPILER: Compiler = {
  degree: true,
  eulerseq: 'xyz',
  autolimits: true,
  meshdir: '',
  strippath: false,
  inertiafromgeom: 'auto',
  inertiagrouprange: [0, 5],
  boundmass: 0,
  boundinertia: 0,
  balanceinertia: false,
  settotalmass: -1,
  fitaabb: false,
  fusestatic: false,
  discardvisual: false,
  alignfree: false,
  coordinate: 'local',
};

const ignored = (): void => {};

const COMPILER_FIELDS: Fields<Compiler> = new Map([
  [
    'angle',
    keyword<Compiler, boolean>(
      'degree',
      new Map([
        ['degree', true],
        ['radian', false],
      ]),
    ),
  ],
  [
    'eulerseq',
    (target, element, attribute, written) => {
      if (/^[xyzXYZ]{3}$/.test(written)) target.eulerseq = written;
      else element.attributeError(attribute, 'keyword', 'expected three letters out of x, y, z, X, Y and Z');
    },
  ],
  ['autolimits', flag<Compiler>('autolimits')],
  ['meshdir', text<Compiler>('meshdir')],
  // Of the two folders, that of the meshes is the only one of use here; `meshdir` comes first, see readCompiler.
  ['assetdir', ignored],
  ['texturedir', ignored],
  ['strippath', flag<Compiler>('strippath')],
  ['inertiafromgeom', tristate<Compiler>('inertiafromgeom')],
  ['inertiagrouprange', numbers<Compiler>('inertiagrouprange', 2)],
  ['boundmass', number<Compiler>('boundmass')],
  ['boundinertia', number<Compiler>('boundinertia')],
  ['balanceinertia', flag<Compiler>('balanceinertia')],
  ['settotalmass', number<Compiler>('settotalmass')],
  ['fitaabb', flag<Compiler>('fitaabb')],
  ['fusestatic', flag<Compiler>('fusestatic')],
  ['discardvisual', flag<Compiler>('discardvisual')],
  ['alignfree', flag<Compiler>('alignfree')],
  ['coordinate', text<Compiler>('coordinate')],
  // How MuJoCo goes about its work; nothing that the model says.
  ['usethread', ignored],
  ['saveinertial', ignored],
  ['convexhull', ignored],
  ['exactmeshinertia', ignored],
  ['conflict', ignored],
]);

export function readCompiler(sections: readonly XmlElement[]): Compiler {
  let compiler = DEFAULT_COMPILER;
  for (const section of sections) {
    const { assetdir } = section.attributes;
    if (assetdir !== undefined) compiler = { ...compiler, meshdir: assetdir };
    compiler = readFields(section, COMPILER_FIELDS, compiler);
    for (const child of section.elements()) if (child.name === 'lengthrange') child.claim().dismiss();
    if (compiler.coordinate === 'global')
      section.attributeError('coordinate', 'coordinate', 'global coordinates were given up; save it with MuJoCo 2.3.3');
  }
  return compiler;
}

/** How the file wants to be simulated. Data: what an engine makes of it is its own affair. */
export interface MjcfOptions {
  readonly gravity: Vec3;
  readonly timestep: number;
  readonly integrator: string;
  readonly solver: string;
  readonly cone: string;
  readonly impratio: number;
  readonly iterations: number;
  readonly tolerance: number;
  readonly density: number;
  readonly viscosity: number;
  readonly wind: readonly number[];
  readonly magnetic: readonly number[];
  /** What contacts are overridden with where the flag `override` is on. */
  readonly margin: number;
  readonly solref: readonly number[];
  readonly solimp: readonly number[];
  readonly friction: readonly number[];
  readonly actuatorGroupsDisabled: readonly number[];
  /** Flags that the file sets: `contact` to false, `energy` to true, ... */
  readonly flags: ReadonlyMap<string, boolean>;
}

type MutableOptions = { -readonly [K in keyof MjcfOptions]: MjcfOptions[K] };

const OPTION_FIELDS: Fields<MutableOptions> = new Map([
  ['gravity', numbers<MutableOptions>('gravity' as never, 3)],
  ['timestep', number<MutableOptions>('timestep')],
  ['integrator', keyword<MutableOptions, string>('integrator', words('Euler', 'RK4', 'implicit', 'implicitfast'))],
  ['solver', keyword<MutableOptions, string>('solver', words('PGS', 'CG', 'Newton'))],
  ['cone', keyword<MutableOptions, string>('cone', words('pyramidal', 'elliptic'))],
  ['impratio', number<MutableOptions>('impratio')],
  ['iterations', number<MutableOptions>('iterations')],
  ['tolerance', number<MutableOptions>('tolerance')],
  ['density', number<MutableOptions>('density')],
  ['viscosity', number<MutableOptions>('viscosity')],
  ['wind', numbers<MutableOptions>('wind', 3)],
  ['magnetic', numbers<MutableOptions>('magnetic', 3)],
  ['o_margin', number<MutableOptions>('margin')],
  ['o_solref', leadingNumbers<MutableOptions>('solref', 2)],
  ['o_solimp', leadingNumbers<MutableOptions>('solimp', 5)],
  ['o_friction', leadingNumbers<MutableOptions>('friction', 5)],
  ['actuatorgroupdisable', manyNumbers<MutableOptions>('actuatorGroupsDisabled')],
  // Details of MuJoCo's own solvers.
  ...(
    [
      'apirate',
      'collision',
      'jacobian',
      'ls_iterations',
      'ls_tolerance',
      'noslip_iterations',
      'noslip_tolerance',
      'mpr_iterations',
      'mpr_tolerance',
      'ccd_iterations',
      'ccd_tolerance',
      'sleep_tolerance',
      'sdf_iterations',
      'sdf_initpoints',
    ] as const
  ).map((name) => [name, ignored] as const),
]);

const ENABLE = new Map([
  ['enable', true],
  ['disable', false],
]);

export function readOptions(sections: readonly XmlElement[]): MjcfOptions {
  const flags = new Map<string, boolean>();
  let options: MutableOptions = {
    gravity: [0, 0, -9.81],
    timestep: 0.002,
    integrator: 'Euler',
    solver: 'Newton',
    cone: 'pyramidal',
    impratio: 1,
    iterations: 100,
    tolerance: 1e-8,
    density: 0,
    viscosity: 0,
    wind: [0, 0, 0],
    magnetic: [0, -0.5, 0],
    margin: 0,
    solref: [0.02, 1],
    solimp: [0.9, 0.95, 0.001, 0.5, 2],
    friction: [1, 1, 0.005, 0.0001, 0.0001],
    actuatorGroupsDisabled: [],
    flags,
  };
  for (const section of sections) {
    options = readFields(section, OPTION_FIELDS, options);
    for (const child of section.children('flag')) {
      child.know({ has: () => true });
      for (const [name, written] of Object.entries(child.attributes)) {
        const value = ENABLE.get(written);
        if (value !== undefined) flags.set(name, value);
        else child.attributeError(name, 'keyword', 'expected enable or disable');
      }
    }
  }
  return options;
}
