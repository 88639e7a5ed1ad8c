// SDF: the same robots as written in other ways, the rules of its frames, and files that are broken or hostile.

import { describe, expect, it } from 'vitest';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { readModel } from '../../src/files/read-model.js';
import { formatUrdf, parseSdf, parseUrdf } from '../../src/formats/index.js';
import { ImportError } from '../../src/mechanism/errors.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { randomMechanism, randomVector, relativeError } from '../support/random-mechanism.js';
import { SdfWriter } from '../support/sdf-writer.js';

const TYPES = ['fixed', 'revolute', 'continuous', 'prismatic', 'helical', 'universal', 'spherical'] as const;
/** Accelerations in a random state, by the names of the joints of the first. */
function accelerations(of: Mechanism, names: Mechanism, seed: number): number[] {
  const start = State.random(names, seed);
  const tau = randomVector(seed, names.nv, 3);
  const state = new State(of);
  const force = new Float64Array(of.nv);
  for (const { name, iq, iv, model } of names.joints) {
    const other = of.joint(name);
    state.q.set(start.q.subarray(iq, iq + model.nq), other.iq);
    state.v.set(start.v.subarray(iv, iv + model.nv), other.iv);
    force.set(tau.subarray(iv, iv + model.nv), other.iv);
  }
  const qdd = new PlainDynamics(of).forward(state, force);
  return names.joints.flatMap(({ name, model }) => {
    const { iv } = of.joint(name);
    return [...qdd.subarray(iv, iv + model.nv)];
  });
}

const refusal = (text: string, files: ReadonlyMap<string, string> = new Map()): string => {
  try {
    parseSdf(text, { files: { read: (path) => bytesOf(files.get(path)) } });
  } catch (error) {
    expect(error).toBeInstanceOf(ImportError);
    return (error as ImportError).message;
  }
  throw new Error('it was read');
};
const bytesOf = (text: string | undefined): Uint8Array | undefined =>
  text === undefined ? undefined : new TextEncoder().encode(text);

const sdf = (content: string, version = '1.9'): string => `<sdf version="${version}">${content}</sdf>`;
const LINK = '<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>';

describe('SDF', () => {
  it('is the same robot: 60 random trees, with their links and frames anywhere', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const original = randomMechanism(seed, { types: TYPES, base: 'revolute' });
      const { mechanism } = parseSdf(new SdfWriter(original, seed).text(), { inertia: 'reject' });
      const error = relativeError(accelerations(mechanism, original, seed), accelerations(original, original, seed));
      // The random trees are ill conditioned now and then: joints near each other with light links between.
      expect(error, `seed ${seed}`).toBeLessThan(1e-9);
      const [a, b] = [new PlainDynamics(original), new PlainDynamics(mechanism)];
      const [e, f] = [a.energy(new State(original)), b.energy(new State(mechanism))];
      expect(relativeError([f.potential, ...f.com], [e.potential, ...e.com]), `seed ${seed}`).toBeLessThan(1e-12);
    }
  });

  it('equals the URDF of the same tree to 1e-12', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const original = randomMechanism(seed, {
        types: ['revolute', 'continuous', 'prismatic', 'fixed'],
        base: 'fixed',
        bodies: 4,
      });
      const urdf = parseUrdf(formatUrdf(original).text, { gravity: original.gravity });
      const { mechanism } = parseSdf(new SdfWriter(original, seed).text());
      const names = {
        ...original,
        joints: original.joints.filter(({ name }) => urdf.hasJoint(name)),
      } as unknown as Mechanism;
      const state = State.random(original, seed);
      const massOf = (of: Mechanism): number[] => {
        const at = new State(of);
        for (const { name, iq, model } of names.joints)
          at.q.set(state.q.subarray(iq, iq + model.nq), of.joint(name).iq);
        const { H } = new PlainDynamics(of).massMatrix(at);
        return names.joints.flatMap(({ name, model }) => {
          const { iv } = of.joint(name);
          return names.joints.flatMap((other) =>
            model.nv * other.model.nv === 1 ? [H[iv * of.nv + of.joint(other.name).iv]] : [],
          );
        });
      };
      expect(relativeError(massOf(mechanism), massOf(urdf)), `seed ${seed}`).toBeLessThan(1e-12);
    }
  });

  it('a free model floats where the file puts it, a static one stands there', () => {
    const model = `<model name="m"><pose>1 2 3 0 0 0</pose><link name="a"><pose>0 0 1 0 0 0</pose>${LINK}</link></model>`;
    const { mechanism, state } = parseSdf(sdf(model));
    expect(mechanism.joints[0].type).toBe('floating');
    expect([...state.q]).toEqual([1, 0, 0, 0, 1, 2, 4]);
    const fixed = parseSdf(sdf(model.replace('<pose>1', '<static>true</static><pose>1'))).mechanism;
    expect(fixed.joints[0]).toMatchObject({ type: 'fixed', t: [1, 2, 4] });
    expect(parseSdf(sdf(model), { base: 'fixed' }).mechanism.joints[0].t).toEqual([1, 2, 4]);
  });

  it('nested and included models, placement frames, frames on them', () => {
    const part = sdf(
      `<model name="part"><link name="l"><pose>0 1 0 0 0 0</pose>${LINK}</link><frame name="tip" attached_to="l"><pose>0 0 2 0 0 0</pose></frame></model>`,
    );
    const text = sdf(`<world name="w"><gravity>0 0 -5</gravity>
      <model name="ground"><static>1</static><link name="g"/></model>
      <model name="m"><link name="base">${LINK}</link>
      <include><uri>model://part</uri><name>left</name><pose>5 0 0 0 0 0</pose><placement_frame>tip</placement_frame></include>
      <model name="inner"><pose relative_to="left::tip">0 0 1 0 0 0</pose><link name="x">${LINK}</link></model>
      <joint name="j" type="revolute"><parent>base</parent><child>left::l</child><axis><xyz>0 1 0</xyz></axis></joint>
      <joint name="k" type="fixed"><parent>left</parent><child>inner::x</child></joint>
      <frame name="f" attached_to="inner::x"><pose>1 0 0 0 0 0</pose></frame></model></world>`);
    const files = new Map([['part/model.sdf', part]]);
    const { mechanism, state } = parseSdf(text, { files: { read: (path) => bytesOf(files.get(path)) } });
    expect(mechanism.gravity).toEqual([0, 0, -5]);
    const pose = (name: string): number[] =>
      [...dynamics(mechanism).pose(state, name).t].map((x) => Number(x.toFixed(9)));
    // The tip is at (5, 0, 0), so the link is two below it.
    expect(pose('left::l')).toEqual([5, 0, -2]);
    expect(pose('inner::x')).toEqual([5, 0, 1]);
    expect(mechanism.frames.map(({ name }) => name)).toEqual(['f', 'left::tip']);
    expect(mechanism.joint('j').axis).toEqual([0, 1, 0]);
    expect(mechanism.warnings.some(({ code }) => code === 'static-model')).toBe(true);
  });

  it('a joint that closes a loop is a loop joint; gearboxes and mimics couple', () => {
    const hinge = (name: string, parent: string, child: string, x: number): string =>
      `<joint name="${name}" type="revolute"><pose relative_to="__model__">${x} 0 0 0 0 0</pose><parent>${parent}</parent><child>${child}</child><axis><xyz>0 1 0</xyz></axis></joint>`;
    const links = ['a', 'b', 'c'].map((name) => `<link name="${name}">${LINK}</link>`).join('');
    const { mechanism } = parseSdf(
      sdf(
        `<model name="m">${links}${hinge('1', 'world', 'a', 0)}${hinge('2', 'a', 'b', 1)}${hinge('3', 'b', 'c', 2)}${hinge('4', 'world', 'c', 3)}</model>`,
      ),
    );
    expect(mechanism.loops).toMatchObject([{ name: '4', type: 'revolute' }]);
    const geared = parseSdf(
      sdf(`<model name="m">${links}${hinge('1', 'a', 'b', 0)}${hinge('2', 'a', 'c', 1)}
       <joint name="g" type="gearbox"><parent>b</parent><child>c</child><gearbox_ratio>3</gearbox_ratio>
       <gearbox_reference_body>a</gearbox_reference_body><axis><xyz>0 1 0</xyz></axis><axis2><xyz>0 -1 0</xyz></axis2></joint></model>`),
    ).mechanism;
    expect(geared.couplings).toMatchObject([{ multiplier: 3, offset: 0 }]);
    // The first hinge the other way round: its angle is that of the reference against b.
    const turned = parseSdf(
      sdf(`<model name="m">${links}${hinge('1', 'b', 'a', 0)}${hinge('2', 'a', 'c', 1)}
       <joint name="g" type="gearbox"><parent>b</parent><child>c</child><gearbox_ratio>3</gearbox_ratio>
       <gearbox_reference_body>a</gearbox_reference_body><axis><xyz>0 1 0</xyz></axis><axis2><xyz>0 -1 0</xyz></axis2></joint></model>`),
    ).mechanism;
    expect(turned.couplings).toMatchObject([{ multiplier: -3, offset: 0 }]);
    const mimic = parseSdf(
      sdf(
        `<model name="m">${links}${hinge('1', 'a', 'b', 0)}${hinge('2', 'b', 'c', 1).replace('</axis>', '<mimic joint="1"><multiplier>2</multiplier><offset>1</offset><reference>0.5</reference></mimic></axis>')}</model>`,
        '1.11',
      ),
    ).mechanism;
    expect(mimic.couplings).toMatchObject([{ multiplier: 2, offset: 0 }]);
  });

  it('axes of old versions are along the model', () => {
    const text = (version: string, more = ''): string =>
      sdf(
        `<model name="m"><link name="a"><pose>0 0 0 0 0 1.5707963267948966</pose>${LINK}</link><joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>1 0 0</xyz>${more}</axis></joint></model>`,
        version,
      );
    const axis = (text: string): number[] =>
      parseSdf(text)
        .mechanism.joint('j')
        .axis.map((x) => Math.round(x));
    expect(axis(text('1.9'))).toEqual([1, 0, 0]);
    expect(axis(text('1.4')).map(Math.abs)).toEqual([0, 1, 0]);
    expect(axis(text('1.6', '<use_parent_model_frame>1</use_parent_model_frame>')).map(Math.abs)).toEqual([0, 1, 0]);
  });

  it('limits, shapes and what is not used', () => {
    const { mechanism } = readModel(
      sdf(`<model name="m"><link name="a">${LINK}<visual name="v"><geometry><box><size>1 2 3</size></box></geometry><material><diffuse>1 0 0 1</diffuse></material></visual>
        <collision name="c"><pose>0 0 1 0 0 0</pose><geometry><mesh><uri>model://robot/a.stl</uri></mesh></geometry></collision><sensor name="s" type="imu"/></link>
        <joint name="j" type="prismatic"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>inf</upper><effort>-1</effort></limit><dynamics><damping>2</damping><spring_stiffness>3</spring_stiffness></dynamics></axis></joint>
        <plugin name="p" filename="x"/></model>`),
      'robot.sdf',
    );
    expect(mechanism.joint('j')).toMatchObject({ limits: { lower: -1 }, damping: 2, stiffness: 3 });
    expect(mechanism.body('a').visuals[0]).toMatchObject({ geometry: { kind: 'box' }, color: [1, 0, 0, 1] });
    expect(mechanism.body('a').collisions[0]).toMatchObject({ t: [0, 0, 1], geometry: { kind: 'mesh' } });
    expect(mechanism.warnings.map(({ message }) => message)).toEqual([
      '<plugin> in <model> is not used.',
      '<sensor> in <link> is not used.',
    ]);
  });

  it('turns the inertia with its frame, and reads the pitch of screws, old and new', () => {
    const inertial =
      '<inertial><pose>0 0 0 0.5 0 0</pose><mass>2</mass><inertia><ixx>3</ixx><iyy>2.5</iyy><izz>1</izz></inertia></inertial>';
    const screw = (pitch: string): string =>
      `<joint name="j" type="screw"><parent>world</parent><child>a</child>${pitch}<axis><xyz>0 0 1</xyz></axis></joint>`;
    const read = (pitch: string) =>
      parseSdf(sdf(`<model name="m"><link name="a">${inertial}</link>${screw(pitch)}</model>`)).mechanism;
    const { joints, bodies } = read('<screw_thread_pitch>6.283185307179586</screw_thread_pitch>');
    expect(joints[0].pitch).toBeCloseTo(1, 12);
    // Row y, column z: (Iyy - Izz) sin a cos a.
    expect(bodies[0].inertia[5]).toBeCloseTo(1.5 * Math.sin(0.5) * Math.cos(0.5), 12);
    expect(read('<thread_pitch>2</thread_pitch>').joints[0].pitch).toBe(-0.5);
  });

  it('takes the model that moves from a world, and leaves out one of the same name', () => {
    const world = `<world name="w"><model name="m"><static>1</static><link name="g">${LINK}</link></model><model name="m"><link name="a">${LINK}</link></model></world>`;
    const { mechanism } = parseSdf(sdf(world));
    expect(mechanism.bodies.map(({ name }) => name)).toEqual(['a']);
    expect(mechanism.warnings.map(({ code }) => code)).toContain('static-model');
  });

  it('refuses, in one sentence each', () => {
    const model = (content: string): string => sdf(`<model name="m"><link name="a">${LINK}</link>${content}</model>`);
    expect(refusal('<robot/>')).toContain('<sdf>');
    expect(refusal('<!DOCTYPE a [<!ENTITY x "y">]><sdf version="1.9"/>')).toContain('entity');
    expect(refusal(sdf(''))).toContain('no <model>');
    expect(refusal(model('<link name="a"/>'))).toContain('already');
    expect(
      refusal(model('<frame name="f"><pose relative_to="g"/></frame><frame name="g"><pose relative_to="f"/></frame>')),
    ).toContain('itself');
    expect(refusal(model('<frame name="f"><pose>1 2 x</pose></frame>'))).toContain('6 finite numbers');
    const long = (frame: (k: number) => string): string => Array.from({ length: 1200 }, (_, k) => frame(k)).join('');
    expect(refusal(model(long((k) => `<frame name="f${k}"><pose relative_to="f${k + 1}"/></frame>`)))).toContain(
      'The pose of "f1000" stands on more than 1000 others.',
    );
    expect(refusal(model(long((k) => `<frame name="f${k}" attached_to="${k > 0 ? `f${k - 1}` : 'a'}"/>`)))).toContain(
      'The frame "f1001" is attached to itself, or by way of more than 1000 others.',
    );
    expect(refusal(model('<joint name="j" type="rope"><parent>world</parent><child>a</child></joint>'))).toContain(
      'rope',
    );
    expect(refusal(model('<joint name="j" type="fixed"><parent>world</parent><child>b</child></joint>'))).toContain(
      '"b"',
    );
    expect(refusal(model('<include><uri>../../x</uri></include>'))).toContain('..');
    const cycle = new Map([['c/model.sdf', sdf('<model name="c"><include><uri>model://c</uri></include></model>')]]);
    expect(refusal(model('<include><uri>model://c</uri></include>'), cycle)).toContain('too deep');
  });
});
