import { parseXml } from '@rgrove/parse-xml';
import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { inversePicture } from '../../src/plot/inverse-picture.js';

const mechanism = builtinMechanism('human-34');
const root = mechanism.joints[0].name;
const posesAt = (x: number): Float64Array =>
  new PlainDynamics(mechanism).poses(new State(mechanism).set(root, [1, 0, 0, 0, x, 0, 0]));

const picture = (shaded: readonly (readonly [number, number])[], reach = 1): string =>
  inversePicture({
    title: 'walk <&>',
    mechanism,
    moments: [0, 1, 2].map((k) => ({ time: k, poses: posesAt(reach * k) })),
    times: [0, 1, 2],
    forces: [
      [0, 0, 700],
      [10, 0, 800],
      [0, 5, 600],
    ],
    weight: 700,
    shaded,
    series: [{ name: 'knee', values: [1, -2, 3] }],
    seriesLabel: 'torque (N m)',
  });

describe('the picture of an inverse-dynamics run', () => {
  it('is well-formed, with a band behind both plots for each stretch of double support', () => {
    const plain = picture([]);
    parseXml(plain);
    const shaded = picture([
      [0.2, 0.5],
      [1, 1.5],
    ]);
    parseXml(shaded);
    const bands = (svg: string): number => svg.match(/fill="#f0f0f0"/g)?.length ?? 0;
    expect([bands(plain), bands(shaded)]).toEqual([0, 4]);
    expect(plain).toContain('knee');
  });

  it('leaves the ends of the filter out, draws what is possible, and left and right in two colours', () => {
    const times = [0, 1, 2, 3, 4];
    const series = ['knee_l', 'knee_r'].map((name) => ({
      name,
      values: [900, 1, 2, 3, 900],
      low: [900, 1, 1, 3, 900],
      high: [900, 1, 4, 3, 900],
    }));
    const forces = times.map(() => [0, 0, 700] as const);
    const moments = [{ time: 0, poses: posesAt(0) }];
    const common = { title: '', mechanism, moments, times, forces, weight: 700, shaded: [], series, seriesLabel: '' };
    const [whole, cut] = [inversePicture(common), inversePicture({ ...common, edge: 1 })];
    expect(whole).toContain('>800<');
    expect(cut).not.toContain('>800<');
    expect(cut.match(/fill-opacity="0.18"/g)).toHaveLength(2);
    expect(cut).toMatch(/#0072b2[\s\S]*#d55e00/);
  });

  it('sees a figure that goes somewhere from the side, and one that stays as pictures do', () => {
    expect(picture([], 1)).not.toBe(picture([], 0.01));
  });
});
