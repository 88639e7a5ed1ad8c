// The shared set-up of OpenSim's inverse dynamics, computed a second time: what its InverseDynamicsTool does with the files,
// but with a reader of its own, samples on the tool's own grid of times, splines through the loads, and forces by virtual
// work, Q_j = sum over bodies of m (a - g) . dp/dq_j + (I w' + w x I w) . dtheta/dq_j less the loads, all by differences.

import { parseXml, type XmlElement } from '@rgrove/parse-xml';
import { expect, it } from 'vitest';
import { naturalCubicSpline, simmSpline } from '../../src/formats/osim-function.js';
import { parseStorage } from '../../src/formats/storage.js';
import { quinticCoefficients } from '../../src/motion/opensim-filter.js';
import {
  add,
  apply,
  cross,
  dot,
  IDENTITY3,
  type Mat3,
  multiply,
  rotationAbout,
  scale,
  subtract,
  transpose,
  type Vec3,
} from '../../src/spatial/matrix3.js';
import { json, read, temporaryFolder } from '../cli/support.js';
import { hasShared, readShared, sharedPath } from '../support/shared.js';

const FOLDER = 'data/opensim';
const CUTOFF = 6;
/** Of so many frames one is compared, unless time does not matter. */
const EVERY = process.env.MANIKIN_LONG === '1' ? 1 : 6;

const elements = (at: XmlElement): XmlElement[] =>
  at.children.filter((node): node is XmlElement => node.type === 'element');
const inside = (at: XmlElement, ...names: string[]): XmlElement =>
  names.reduce((found, name) => elements(found).find((child) => child.name === name)!, at);
const numbers = (at: XmlElement): number[] => at.text.trim().split(/\s+/).map(Number);
const vector = (at: XmlElement): Vec3 => numbers(at) as unknown as Vec3;
const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const fixedXyz = ([x, y, z]: Vec3): Mat3 =>
  multiply(rotationAbout([1, 0, 0], x), multiply(rotationAbout([0, 1, 0], y), rotationAbout([0, 0, 1], z)));

interface Pose {
  readonly R: Mat3;
  readonly p: Vec3;
}
interface Frame extends Pose {
  readonly body: string;
}
interface Axis {
  readonly turns: boolean;
  readonly axis: Vec3;
  readonly coordinate: string | undefined;
  readonly at: (q: number) => number;
}

function functionIn(holder: XmlElement): (q: number) => number {
  for (const found of elements(holder)) {
    if (found.name === 'Constant') return () => Number(inside(found, 'value').text);
    if (found.name === 'LinearFunction') {
      const [slope, start] = numbers(inside(found, 'coefficients'));
      return (q) => slope * q + start;
    }
    if (found.name === 'SimmSpline') {
      const spline = simmSpline(numbers(inside(found, 'x')), numbers(inside(found, 'y')));
      const out = new Float64Array(3);
      return (q) => {
        spline.evaluate(out, q);
        return out[0];
      };
    }
    if (found.name === 'MultiplierFunction') {
      const [factor, inner] = [Number(inside(found, 'scale').text), functionIn(inside(found, 'function'))];
      return (q) => factor * inner(q);
    }
    if (found.name === 'function') return functionIn(found);
  }
  throw new Error(`No known function in ${holder.name}.`);
}

function readModel() {
  const model = inside(parseXml(readShared(`${FOLDER}/subject01.osim`)).root!, 'Model');
  const bodies = elements(inside(model, 'BodySet', 'objects')).map((body) => {
    const [xx, yy, zz, xy, xz, yz] = numbers(inside(body, 'inertia'));
    const inertia: Mat3 = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
    return {
      name: body.attributes.name,
      mass: Number(inside(body, 'mass').text),
      com: vector(inside(body, 'mass_center')),
      inertia,
    };
  });
  const coordinates: string[] = [];
  const joints = elements(inside(model, 'JointSet', 'objects')).map((joint) => {
    const frames = new Map<string, Frame>();
    for (const frame of elements(inside(joint, 'frames')))
      frames.set(frame.attributes.name, {
        body: lastOf(inside(frame, 'socket_parent').text.trim()),
        R: fixedXyz(vector(inside(frame, 'orientation'))),
        p: vector(inside(frame, 'translation')),
      });
    const list = elements(joint).find(({ name }) => name === 'coordinates');
    const own = list === undefined ? [] : elements(list).map(({ attributes }) => attributes.name);
    coordinates.push(...own);
    let axes: Axis[] = [];
    if (joint.name === 'PinJoint') axes = [{ turns: true, axis: [0, 0, 1], coordinate: own[0], at: (q) => q }];
    if (joint.name === 'CustomJoint')
      axes = elements(inside(joint, 'SpatialTransform')).map((element) => ({
        turns: element.attributes.name.startsWith('rotation'),
        axis: vector(inside(element, 'axis')),
        coordinate: inside(element, 'coordinates').text.trim() || undefined,
        at: functionIn(element),
      }));
    const frame = (socket: string): Frame => frames.get(inside(joint, socket).text.trim())!;
    return { parent: frame('socket_parent_frame'), child: frame('socket_child_frame'), axes };
  });
  return { bodies, joints, coordinates, gravity: vector(inside(model, 'gravity')) };
}

const samples = (count: number, at: (k: number) => number): Float64Array =>
  Float64Array.from({ length: count }, (_, k) => at(k));

/** Reflected through its ends by half its length, as Storage::pad does it. */
function padded(x: Float64Array): Float64Array {
  const [n, size] = [x.length, Math.floor(x.length / 2)];
  return samples(n + 2 * size, (k) =>
    k < size ? 2 * x[0] - x[size - k] : k < size + n ? x[k - size] : 2 * x[n - 1] - x[2 * n - 2 - k + size],
  );
}

/** Signal::LowpassIIR. */
function lowpass(x: Float64Array, step: number): Float64Array {
  const w = Math.tan(Math.PI * CUTOFF * step);
  const D = (w + 1) * (w * w + w + 1);
  const b = [3 * w ** 3 + 2 * w * w - 2 * w - 3, 3 * w ** 3 - 2 * w * w - 2 * w + 3, (w - 1) * (w * w - w + 1)].map(
    (c) => c / D,
  );
  const run = (input: Float64Array): Float64Array => {
    const out = input.slice();
    for (let k = 3; k < out.length; k++)
      out[k] =
        (w ** 3 / D) * (input[k] + 3 * input[k - 1] + 3 * input[k - 2] + input[k - 3]) -
        b[0] * out[k - 1] -
        b[1] * out[k - 2] -
        b[2] * out[k - 3];
    return out;
  };
  return run(run(x).reverse()).reverse();
}

/** The natural spline of fifth degree through equally spaced points, by cardinal B-splines. */
function spline(points: Float64Array, start: number, step: number): (t: number) => number {
  const c = quinticCoefficients(points);
  const [choose, power] = [[1, -6, 15, -20, 15, -6, 1], (x: number) => (x > 0 ? x ** 5 : 0)];
  const bump = (x: number): number => choose.reduce((sum, factor, k) => sum + (factor * power(x + 3 - k)) / 120, 0);
  return (t) => {
    const x = (t - start) / step;
    const middle = Math.round(x);
    let sum = 0;
    for (let k = middle - 3; k <= middle + 3; k++) if (k >= -2 && k < c.length - 2) sum += c[k + 2] * bump(x - k);
    return sum;
  };
}

const axial = (W: Mat3): Vec3 => [(W[7] - W[5]) / 2, (W[2] - W[6]) / 2, (W[3] - W[1]) / 2];
const combine = (...terms: (readonly [number, Mat3])[]): Mat3 =>
  IDENTITY3.map((_, k) => terms.reduce((sum, [factor, M]) => sum + factor * M[k], 0)) as unknown as Mat3;

const files = temporaryFolder();

it.skipIf(!hasShared(FOLDER))(
  "equals a second computation of what OpenSim's tool does, within 0.05 % of the range",
  async () => {
    const { bodies, joints, coordinates, gravity } = readModel();
    const motion = parseStorage(readShared(`${FOLDER}/subject01_walk_IK.mot`));
    const width = motion.labels.length;
    const column = (k: number): Float64Array => samples(motion.rowCount, (row) => motion.values[row * width + k]);
    const times = padded(column(0));
    // Times are written with eight digits: the tool takes samples anew, with the smallest of all steps.
    let step = Infinity;
    for (let k = 1; k < times.length; k++) step = Math.min(step, times[k] - times[k - 1]);
    const [start, end] = [times[0], times[times.length - 1]];
    const mean = (end - start) / (times.length - 1);
    const count = Math.floor((end - start) / step + 1e-9) + 1;
    const tracks = coordinates.map((name) => {
      const unit = /^pelvis_t[xyz]$/.test(name) ? 1 : Math.PI / 180;
      const given = spline(padded(column(motion.labels.indexOf(name))), start, mean);
      return spline(
        lowpass(
          samples(count, (k) => unit * given(start + k * step)),
          step,
        ),
        start,
        step,
      );
    });
    const placed = (q: readonly number[]): Map<string, Pose> => {
      const poses = new Map<string, Pose>([['ground', { R: IDENTITY3, p: [0, 0, 0] }]]);
      while (poses.size <= bodies.length)
        for (const { parent, child, axes } of joints) {
          const base = poses.get(parent.body);
          if (base === undefined || poses.has(child.body)) continue;
          let [R, p] = [multiply(base.R, parent.R), add(base.p, apply(base.R, parent.p))];
          const values = axes.map(({ coordinate, at }) =>
            at(coordinate === undefined ? 0 : q[coordinates.indexOf(coordinate)]),
          );
          axes.forEach(({ turns, axis }, k) => {
            if (!turns) p = add(p, apply(multiply(base.R, parent.R), scale(values[k], axis)));
          });
          axes.forEach(({ turns, axis }, k) => {
            if (turns) R = multiply(R, rotationAbout(axis, values[k]));
          });
          R = multiply(R, transpose(child.R));
          poses.set(child.body, { R, p: subtract(p, apply(R, child.p)) });
        }
      return poses;
    };
    const grf = parseStorage(readShared(`${FOLDER}/subject01_walk_grf.mot`));
    const grfTimes = Array.from({ length: grf.rowCount }, (_, row) => grf.values[row * grf.labels.length]);
    const measured = (label: string): ((t: number) => Vec3) => {
      const first = grf.labels.indexOf(`${label}x`);
      const curves = [0, 1, 2].map((c) =>
        naturalCubicSpline(
          grfTimes,
          grfTimes.map((_, row) => grf.values[row * grf.labels.length + first + c]),
        ),
      );
      const out = new Float64Array(3);
      const at = (curve: (typeof curves)[number], t: number): number => {
        curve.evaluate(out, t);
        return out[0];
      };
      return (t) => curves.map((curve) => at(curve, t)) as unknown as Vec3;
    };
    const loads = [
      ['calcn_r', ''],
      ['calcn_l', '1_'],
    ].map(([body, side]) => ({
      body,
      force: measured(`${side}ground_force_v`),
      point: measured(`${side}ground_force_p`),
      torque: measured(`${side}ground_torque_`),
    }));

    const file = files.path('id.sto');
    await json('inverse', sharedPath(`${FOLDER}/walk_Setup_ID.xml`), '--out', file, '--quiet');
    const ours = parseStorage(read(file));
    const [h, e] = [1e-4, 1e-6];
    const differences = coordinates.map(() => 0);
    const [low, high] = [coordinates.map(() => Infinity), coordinates.map(() => -Infinity)];
    for (let row = 0; row < ours.rowCount; row += EVERY) {
      // Where the tool has its sample: it stands at or before the time of the frame.
      const wanted = ours.values[row * ours.labels.length];
      const t = start + Math.round((wanted - start) / step) * step;
      const [before, now, after] = [t - h, t, t + h].map((time) => placed(tracks.map((track) => track(time))));
      const wrenches = bodies.map(({ name, mass, com, inertia }) => {
        const [A, B, C] = [before, now, after].map((poses) => poses.get(name)!);
        const at = ({ R, p }: Pose): Vec3 => add(p, apply(R, com));
        const acceleration = scale(1 / (h * h), add(subtract(at(A), at(B)), subtract(at(C), at(B))));
        const rate = combine([0.5 / h, C.R], [-0.5 / h, A.R]);
        const second = combine([1 / (h * h), A.R], [-2 / (h * h), B.R], [1 / (h * h), C.R]);
        const w = axial(multiply(rate, transpose(B.R)));
        const turning = axial(combine([1, multiply(second, transpose(B.R))], [1, multiply(rate, transpose(rate))]));
        const I = multiply(multiply(B.R, inertia), transpose(B.R));
        let force = scale(mass, subtract(acceleration, gravity));
        let moment = add(apply(I, turning), cross(w, apply(I, w)));
        for (const load of loads) {
          if (load.body !== name) continue;
          force = subtract(force, load.force(t));
          moment = subtract(subtract(moment, load.torque(t)), cross(subtract(load.point(t), at(B)), load.force(t)));
        }
        return { force, moment };
      });
      const q = tracks.map((track) => track(t));
      coordinates.forEach((name, j) => {
        const [less, more] = [-e, e].map((by) => placed(q.map((value, k) => (k === j ? value + by : value))));
        let found = 0;
        bodies.forEach(({ name: body, com }, b) => {
          const [A, C] = [less.get(body)!, more.get(body)!];
          const moved = scale(0.5 / e, subtract(add(C.p, apply(C.R, com)), add(A.p, apply(A.R, com))));
          const turned = axial(multiply(combine([0.5 / e, C.R], [-0.5 / e, A.R]), transpose(now.get(body)!.R)));
          found += dot(wrenches[b].force, moved) + dot(wrenches[b].moment, turned);
        });
        const label = `${name}_${/^pelvis_t[xyz]$/.test(name) ? 'force' : 'moment'}`;
        const here = ours.values[row * ours.labels.length + ours.labels.indexOf(label)];
        differences[j] = Math.max(differences[j], Math.abs(here - found));
        low[j] = Math.min(low[j], found);
        high[j] = Math.max(high[j], found);
      });
    }
    coordinates.forEach((name, j) => {
      expect(differences[j] / (high[j] - low[j]), name).toBeLessThan(5e-4);
    });
  },
);
