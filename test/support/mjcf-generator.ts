// Writes MJCF files that use every attribute our reader knows, one feature at a time or in mixtures. The files are small
// robots with random numbers; the same seed gives the same file.

import { Random } from '../../src/mechanism/random.js';

export interface GeneratedMjcf {
  readonly text: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

export const MJCF_FEATURES = [
  'plain',
  'slide',
  'ball',
  'free',
  'several-joints',
  'anchors',
  'ref',
  'quat',
  'axisangle',
  'xyaxes',
  'zaxis',
  'euler',
  'eulerseq',
  'radian',
  'inertial',
  'fullinertia',
  'inertial-orientation',
  'shapes',
  'fromto',
  'geom-mass',
  'shellinertia',
  'mesh-legacy',
  'mesh-exact',
  'mesh-convex',
  'mesh-shell',
  'mesh-fitted',
  'mesh-reference',
  'mesh-files',
  'inertiafromgeom',
  'grouprange',
  'boundmass',
  'balanceinertia',
  'settotalmass',
  'defaults',
  'childclass',
  'class-over-childclass',
  'default-orientation',
  'frame',
  'nested-frame',
  'replicate',
  'replicate-actuated',
  'attach',
  'include',
  'dynamics',
  'springdamper',
  'limits',
  'autolimits-off',
  'connect',
  'weld',
  'equality-joint',
  'tendon-fixed',
  'tendon-spatial',
  'motors',
  'servos',
  'servo-defaults',
  'dampratio',
  'muscle',
  'keyframe',
  'gravity',
  'static',
  'sensors',
  'contacts',
  'heights',
] as const;

export type MjcfFeature = (typeof MJCF_FEATURES)[number];

export function generateMjcf(features: readonly MjcfFeature[], seed: number): GeneratedMjcf {
  return new Generator(new Set(features), new Random(seed)).run();
}

class Generator {
  readonly #with: ReadonlySet<MjcfFeature>;
  readonly #random: Random;
  readonly #files = new Map<string, Uint8Array>();
  #count = 0;
  /** Names of hinges and slides, for what refers to them. */
  readonly #single: string[] = [];
  readonly #bodies: string[] = [];
  #meshes = '';

  constructor(features: ReadonlySet<MjcfFeature>, random: Random) {
    this.#with = features;
    this.#random = random;
  }

  #has(feature: MjcfFeature): boolean {
    return this.#with.has(feature);
  }

  #number(low: number, high: number): number {
    return Number(this.#random.between(low, high).toFixed(4));
  }

  #vector(size = 0.5, count = 3): string {
    return Array.from({ length: count }, () => this.#number(-size, size)).join(' ');
  }

  #chance(p: number): boolean {
    return this.#random.between(0, 1) < p;
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.min(list.length - 1, Math.floor(this.#random.between(0, list.length)))];
  }

  run(): GeneratedMjcf {
    this.#writeMeshes();
    const tree = this.#body(0, true) + this.#body(0, false);
    const extra =
      (this.#has('static')
        ? `<body name="table" pos="${this.#vector()}"><geom type="box" size="1 1 0.1"/></body>`
        : '') +
      (this.#has('replicate') ? this.#replicated() : '') +
      (this.#has('replicate-actuated')
        ? `<replicate count="3" offset="0.3 0 0" euler="0 0 20" sep="-"><body name="copy" pos="0 1 0"><joint name="copied" axis="0 1 0"/><geom size="0.1"/></body></replicate>`
        : '') +
      (this.#has('attach') ? this.#attached() : '') +
      (this.#has('heights') ? '<geom type="hfield" hfield="land"/>' : '') +
      (this.#has('contacts') ? '<geom name="floor" type="plane" size="1 1 0.1"/>' : '');
    const text = [
      '<mujoco model="generated">',
      this.#compiler(),
      this.#has('gravity')
        ? '<option gravity="1 2 -3" timestep="0.01" cone="elliptic"><flag energy="enable"/></option>'
        : '',
      this.#defaults(),
      `<asset>${this.#meshes}${this.#has('heights') ? '<hfield name="land" nrow="2" ncol="3" size="1 2 0.5 0.1" elevation="0 1 2 3 4 5"/>' : ''}${this.#has('attach') ? '<model name="other" file="other.xml"/>' : ''}</asset>`,
      `<worldbody>${this.#has('include') ? this.#included(tree) : tree}${extra}</worldbody>`,
      this.#sections(),
      '</mujoco>',
    ].join('\n');
    return { text, files: this.#files };
  }

  #compiler(): string {
    const attributes: string[] = [];
    if (this.#has('radian')) attributes.push('angle="radian"');
    if (this.#has('eulerseq')) attributes.push(`eulerseq="${this.#pick(['zyx', 'XYZ', 'xYz', 'ZXY'])}"`);
    if (this.#has('inertiafromgeom')) attributes.push('inertiafromgeom="true"');
    if (this.#has('grouprange')) attributes.push('inertiagrouprange="0 2"');
    if (this.#has('boundmass')) attributes.push('boundmass="0.9" boundinertia="0.03"');
    if (this.#has('balanceinertia')) attributes.push('balanceinertia="true"');
    if (this.#has('settotalmass')) attributes.push('settotalmass="12.5"');
    if (this.#has('autolimits-off')) attributes.push('autolimits="false"');
    if (this.#has('mesh-files')) attributes.push('meshdir="assets"');
    return `<compiler ${attributes.join(' ')}/>`;
  }

  #defaults(): string {
    const parts: string[] = [];
    const geom = [
      this.#has('defaults') ? 'density="700" size="0.07"' : '',
      this.#has('default-orientation') ? 'euler="0.1 0.2 0.3"' : '',
    ].join(' ');
    if (geom.trim() !== '') parts.push(`<geom ${geom}/>`);
    if (this.#has('defaults')) parts.push('<joint damping="0.3" armature="0.02"/>');
    if (this.#has('servo-defaults'))
      parts.push('<position kp="40" kv="3" ctrlrange="-1 1"/><default class="strong"><position kp="90"/></default>');
    if (this.#has('childclass') || this.#has('class-over-childclass'))
      parts.push(
        '<default class="outer"><geom density="500" group="1"/><joint armature="0.05" axis="1 0 0"/>' +
          '<default class="inner"><geom density="1500"/><joint damping="0.7" frictionloss="0.2"/></default></default>',
        '<default class="aside"><geom density="2500" type="box" size="0.1 0.05 0.02"/><joint axis="0 1 0"/></default>',
      );
    return parts.length > 0 ? `<default>${parts.join('')}</default>` : '';
  }

  #orientation(): string {
    const kinds: string[] = [];
    // MuJoCo 3.14 let another orientation of the default class win over a quat; later versions do not, nor do we.
    if (this.#has('quat') && !this.#has('default-orientation')) kinds.push(`quat="${this.#vector(1, 4)}"`);
    if (this.#has('axisangle')) kinds.push(`axisangle="${this.#vector(1, 3)} ${this.#angle(100)}"`);
    if (this.#has('xyaxes')) kinds.push(`xyaxes="1 ${this.#vector(0.5, 2)} ${this.#number(-0.5, 0.5)} 1 0.2"`);
    if (this.#has('zaxis')) kinds.push(`zaxis="${this.#vector(1)}"`, 'zaxis="0 0 -1"');
    if (this.#has('euler') || this.#has('eulerseq'))
      kinds.push(`euler="${this.#angle(100)} ${this.#angle(80)} ${this.#angle(100)}"`);
    return kinds.length > 0 && this.#chance(0.8) ? this.#pick(kinds) : '';
  }

  #angle(degrees: number): number {
    const value = this.#number(-degrees, degrees);
    return this.#has('radian') ? Number(((value * Math.PI) / 180).toFixed(5)) : value;
  }

  #body(depth: number, first: boolean): string {
    const k = this.#count++;
    const name = `b${k}`;
    this.#bodies.push(name);
    const childclass =
      this.#has('childclass') && this.#chance(0.5) ? `childclass="${this.#pick(['outer', 'inner'])}"` : '';
    const children = depth < 3 ? (depth === 0 || this.#chance(0.6) ? 1 : 2) : 0;
    const content = [
      this.#joints(k, depth === 0 && first),
      this.#geoms(k),
      this.#inertial(),
      this.#has('sensors') || this.#has('tendon-spatial') || this.#has('weld')
        ? `<site name="s${k}" pos="${this.#vector(0.2)}" ${this.#orientation()}/>`
        : '',
      ...Array.from({ length: children }, () => this.#body(depth + 1, first)),
    ].join('\n');
    const body = `<body name="${name}" pos="${this.#vector()}" ${this.#orientation()} ${childclass}>${content}</body>`;
    if (!this.#has('frame') || this.#chance(0.4)) return body;
    return `<frame pos="${this.#vector()}" ${this.#orientation()}>${body}</frame>`;
  }

  #joints(k: number, root: boolean): string {
    if (root && this.#has('free'))
      return this.#chance(0.5) ? '<freejoint/>' : `<joint name="free${k}" type="free" armature="0"/>`;
    const count = this.#has('several-joints') ? this.#pick([1, 2, 3]) : 1;
    const joints: string[] = [];
    for (let j = 0; j < count; j++) {
      const ball = this.#has('ball') && this.#chance(0.4) && joints.length === 0 && count === 1;
      joints.push(
        this.#joint(`j${k}_${j}`, ball ? 'ball' : this.#has('slide') && this.#chance(0.4) ? 'slide' : 'hinge'),
      );
    }
    const list = joints.join('');
    return this.#has('nested-frame')
      ? `<frame pos="${this.#vector(0.2)}" ${this.#orientation()}><frame pos="0.1 0 0" zaxis="0.2 0.1 1">${list}</frame></frame>`
      : list;
  }

  #joint(name: string, type: string): string {
    const attributes = [`name="${name}"`, `type="${type}"`];
    if (type !== 'ball') {
      this.#single.push(name);
      // Two hinges about one axis would make the mass matrix singular.
      if (!this.#has('childclass') || this.#has('several-joints') || this.#chance(0.5))
        attributes.push(`axis="${this.#vector(1)}"`);
      if (this.#has('ref')) attributes.push(`ref="${type === 'hinge' ? this.#angle(90) : this.#number(-0.3, 0.3)}"`);
    }
    if (this.#has('anchors')) attributes.push(`pos="${this.#vector(0.2)}"`);
    if (this.#has('dynamics')) {
      attributes.push(`damping="${this.#number(0, 1)}" armature="${this.#number(0, 0.3)}" frictionloss="0.1"`);
      if (type !== 'ball') attributes.push(`stiffness="${this.#number(0, 20)}" springref="${this.#angle(40)}"`);
    }
    if (this.#has('springdamper') && type !== 'ball') attributes.push('springdamper="0.3 0.8"');
    if (this.#has('limits') && type !== 'ball')
      attributes.push(`range="${type === 'hinge' ? `${this.#has('radian') ? '-1 1.5' : '-40 80'}` : '-0.2 0.3'}"`);
    else if (this.#has('autolimits-off') && type !== 'ball') attributes.push('limited="true" range="-0.1 0.2"');
    if (this.#has('class-over-childclass') && this.#chance(0.4)) attributes.push('class="aside"');
    return `<joint ${attributes.join(' ')}/>`;
  }

  #geoms(k: number): string {
    const count = this.#pick([1, 2, 3]);
    return Array.from({ length: count }, (_, g) => this.#geom(`g${k}_${g}`)).join('');
  }

  #geom(name: string): string {
    const common = [`name="${name}"`];
    if (this.#has('geom-mass'))
      common.push(this.#chance(0.5) ? `mass="${this.#number(0.2, 2)}"` : `density="${this.#number(100, 3000)}"`);
    if (this.#has('grouprange')) common.push(`group="${name.endsWith('_0') ? 0 : this.#pick([1, 2, 3, 4])}"`);
    if (this.#has('class-over-childclass') && this.#chance(0.4)) return `<geom ${common.join(' ')} class="aside"/>`;
    if (this.#has('defaults') && this.#chance(0.3)) return `<geom ${common.join(' ')}/>`;
    const meshes = [...this.#meshNames];
    if (meshes.length > 0 && this.#chance(0.7)) {
      const fitted = this.#has('mesh-fitted');
      const type = fitted ? this.#pick(['sphere', 'capsule', 'cylinder', 'box', 'ellipsoid']) : 'mesh';
      return `<geom ${common.join(' ')} type="${type}" mesh="${this.#pick(meshes)}" pos="${this.#vector(0.3)}" ${this.#orientation()} ${fitted ? 'fitscale="1.2"' : ''}/>`;
    }
    const shell = this.#has('shellinertia') && this.#chance(0.7) ? 'shellinertia="true"' : '';
    const [a, b, c] = [this.#number(0.03, 0.2), this.#number(0.03, 0.2), this.#number(0.03, 0.2)];
    if (this.#has('fromto') && this.#chance(0.7))
      return `<geom ${common.join(' ')} type="${this.#pick(['capsule', 'cylinder', 'box', 'ellipsoid'])}" size="${a}" fromto="${this.#vector(0.5, 6)}" ${shell}/>`;
    const type = this.#has('shapes') || shell !== '' ? this.#pick(['sphere', 'capsule', 'cylinder', 'box']) : 'capsule';
    const kind = this.#has('shapes') && this.#chance(0.2) && shell === '' ? 'ellipsoid' : type;
    const size = {
      sphere: `${a}`,
      capsule: `${a} ${b}`,
      cylinder: `${a} ${b}`,
      box: `${a} ${b} ${c}`,
      ellipsoid: `${a} ${b} ${c}`,
    }[kind];
    return `<geom ${common.join(' ')} type="${kind}" size="${size}" pos="${this.#vector(0.3)}" ${this.#orientation()} ${shell}/>`;
  }

  #inertial(): string {
    const mass = this.#number(0.3, 3);
    const moments = (): string => `${this.#number(0.05, 0.08)} ${this.#number(0.05, 0.08)} ${this.#number(0.05, 0.08)}`;
    if (this.#has('balanceinertia') && this.#chance(0.5))
      return `<inertial pos="${this.#vector(0.2)}" mass="${mass}" diaginertia="0.01 0.02 0.05"/>`;
    if (this.#has('fullinertia') && this.#chance(0.7))
      return `<inertial pos="${this.#vector(0.2)}" mass="${mass}" fullinertia="${moments()} 0.002 -0.003 0.004"/>`;
    if ((this.#has('inertial') || this.#has('inertial-orientation')) && this.#chance(0.7))
      return `<inertial pos="${this.#vector(0.2)}" mass="${mass}" ${this.#has('inertial-orientation') ? `quat="${this.#vector(1, 4)}"` : ''} diaginertia="${moments()}"/>`;
    return '';
  }

  readonly #meshNames = new Set<string>();

  /** A wedge with a dent, so that the ways of computing its inertia differ; closed. */
  #writeMeshes(): void {
    const add = (name: string, attributes: string): void => {
      this.#meshNames.add(name);
      this.#meshes += `<mesh name="${name}" ${attributes}/>`;
    };
    // Large, for MuJoCo's principal axes of small meshes are rough.
    const s = this.#number(0.8, 1.5);
    const dented = [0, 0, 0, 2, 0, 0, 0, 1.5, 0, 0, 0.1, 1.1, 0.3, 0.3, 0.25]
      .map((x) => Number((x * s).toFixed(4)))
      .join(' ');
    const faces = '0 2 1 0 1 3 0 3 2 1 2 4 2 3 4 3 1 4';
    for (const mode of ['legacy', 'exact', 'convex', 'shell'] as const)
      if (this.#has(`mesh-${mode}`)) add(`m_${mode}`, `inertia="${mode}" vertex="${dented}" face="${faces}"`);
    if (this.#has('mesh-fitted')) add('m_fit', `inertia="exact" vertex="${dented}" face="${faces}" scale="1 2 1.5"`);
    if (this.#has('mesh-reference'))
      add(
        'm_ref',
        `inertia="exact" vertex="${dented}" face="${faces}" refpos="0.1 0.2 0" refquat="1 0.5 0 0.2" scale="1 -1 0.5"`,
      );
    if (this.#has('mesh-files')) {
      this.#files.set('assets/wedge.obj', new TextEncoder().encode(OBJ));
      this.#files.set('assets/wedge.stl', stl());
      add('m_obj', 'file="wedge.obj" scale="0.2 0.2 0.2" inertia="exact"');
      add('m_stl', 'file="wedge.stl" scale="0.2 0.1 -0.2"');
    }
  }

  #replicated(): string {
    return `<replicate count="3" offset="0.4 0.1 0" euler="0 0 ${this.#angle(40)}">
      <body name="r" pos="0 2 0"><joint name="rj" axis="1 0 1"/><geom name="rg" size="0.1" pos="0.1 0 0"/>
      <replicate count="2" offset="0 0.2 0" sep="_"><body name="q"><joint name="qj" axis="0 1 1"/><geom size="0.06" pos="0.1 0.1 0"/></body></replicate>
      </body></replicate>`;
  }

  #attached(): string {
    this.#files.set(
      'other.xml',
      new TextEncoder().encode(
        `<mujoco model="other"><compiler angle="radian"/><default><geom density="333"/><default class="c"><joint armature="0.4"/></default></default>
        <worldbody><body name="arm" pos="0 0 1" euler="0.3 0 0"><joint name="e" class="c" axis="1 1 0" range="-1 1"/><geom size="0.1" pos="0.2 0 0"/>
        <body name="hand" pos="0.3 0 0"><joint name="w"/><geom type="box" size="0.1 0.05 0.02" pos="0.1 0 0"/></body></body></worldbody>
        <actuator><motor name="em" joint="e" gear="7"/></actuator></mujoco>`,
      ),
    );
    return '<frame pos="1 2 0" zaxis="0.1 0 1"><attach model="other" body="arm" prefix="left_"/></frame>';
  }

  #included(tree: string): string {
    this.#files.set('tree.xml', new TextEncoder().encode(`<mujocoinclude>${tree}</mujocoinclude>`));
    return '<include file="tree.xml"/>';
  }

  #sections(): string {
    const [a, b] = [this.#single[0], this.#single[1] ?? this.#single[0]];
    const equality: string[] = [];
    if (this.#has('connect'))
      equality.push(`<connect body1="b1" body2="b5" anchor="0.1 0.2 0"/>`, `<connect body1="b3" anchor="0 0 0"/>`);
    if (this.#has('weld')) equality.push('<weld body1="b2" body2="b6"/>', '<weld site1="s1" site2="s7"/>');
    if (this.#has('equality-joint') && a !== b)
      equality.push(`<joint joint1="${a}" joint2="${b}" polycoef="0.1 0.5 0 0 0"/>`);
    const tendon: string[] = [];
    if (this.#has('tendon-fixed'))
      tendon.push(
        `<fixed name="tf" range="-1 1"><joint joint="${a}" coef="0.5"/><joint joint="${b}" coef="-2"/></fixed>`,
      );
    if (this.#has('tendon-spatial'))
      tendon.push(
        '<spatial name="ts" stiffness="10"><site site="s0"/><site site="s2"/><pulley divisor="2"/><site site="s2"/><site site="s3"/></spatial>',
      );
    const actuator: string[] = [];
    if (this.#has('motors'))
      actuator.push(
        `<motor name="am" joint="${a}" gear="20" ctrlrange="-1 1"/>`,
        `<general joint="${b}" gainprm="3" biastype="affine" biasprm="1 -2 -3" forcerange="-5 5"/>`,
      );
    if (this.#has('servos'))
      actuator.push(
        `<position name="ap" joint="${a}" kp="30" kv="2"/>`,
        `<velocity joint="${b}" kv="4"/>`,
        `<damper joint="${a}" kv="2" ctrlrange="0 1"/>`,
        `<intvelocity joint="${b}" kp="3" actrange="-1 1"/>`,
        `<cylinder joint="${a}" timeconst="0.2" area="0.01" bias="1 2 3"/>`,
        `<position joint="${a}" kp="3" timeconst="0.1"/>`,
      );
    if (this.#has('servo-defaults'))
      actuator.push(
        `<position joint="${a}"/>`,
        `<position class="strong" joint="${b}"/>`,
        `<motor joint="${b}"/>`,
        `<velocity joint="${a}"/>`,
        `<general class="strong" joint="${a}"/>`,
      );
    if (this.#has('dampratio')) actuator.push(`<position joint="${a}" kp="30" dampratio="0.7" gear="2"/>`);
    if (this.#has('muscle'))
      actuator.push(`<muscle joint="${a}" lengthrange="0.1 2" force="100" timeconst="0.02 0.05"/>`);
    if (this.#has('tendon-fixed'))
      actuator.push('<motor name="at" tendon="tf" gear="3"/>', '<position tendon="tf" kp="5" inheritrange="1"/>');
    if (this.#has('replicate-actuated')) actuator.push('<motor name="ac" joint="copied" gear="5"/>');
    return [
      equality.length > 0 ? `<equality>${equality.join('')}</equality>` : '',
      tendon.length > 0 ? `<tendon>${tendon.join('')}</tendon>` : '',
      actuator.length > 0 ? `<actuator>${actuator.join('')}</actuator>` : '',
      this.#has('sensors')
        ? `<sensor><jointpos joint="${a}"/><gyro site="s0"/><framepos objtype="body" objname="b1"/></sensor>`
        : '',
      this.#has('contacts')
        ? '<contact><exclude body1="b0" body2="b1"/><pair geom1="g0_0" geom2="floor" condim="4" friction="0.3"/></contact>'
        : '',
      this.#has('keyframe') ? '<keyframe><key name="home" time="1"/><key name="empty"/></keyframe>' : '',
    ].join('\n');
  }
}

const OBJ =
  '# a wedge\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 1\nv 0 1 1\nf 1 4 3 2\nf 1/1 2/2 5/3\nf 4//1 6//1 3//1\nf -6 -2 -1 -3\nf 2 3 6 5\n';

function stl(): Uint8Array {
  const points = [
    [0, 0, 0],
    [2, 0, 0],
    [0, 1.5, 0],
    [0, 0, 1],
  ];
  const faces = [
    [0, 2, 1],
    [0, 1, 3],
    [0, 3, 2],
    [1, 2, 3],
  ];
  const bytes = new Uint8Array(84 + 50 * faces.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(80, faces.length, true);
  faces.forEach((face, f) => {
    face.forEach((corner, c) => {
      points[corner].forEach((value, k) => {
        view.setFloat32(84 + 50 * f + 12 + 12 * c + 4 * k, value, true);
      });
    });
  });
  return bytes;
}
