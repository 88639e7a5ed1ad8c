import { describe, expect, it } from 'vitest';
import { randomNumbers } from '../../bench/suites/schedule.js';
import { costTable, ENGINE_CONSTANTS, engineCost, paperCost } from '../../src/schedule/cost.js';
import { emptyFlatTree, preorder, TOP_SLOT } from '../../src/schedule/flat-tree.js';
import { linkTree } from '../../src/schedule/link-tree.js';
import { PartMeter, partSize, type TreePart } from '../../src/schedule/parts.js';
import { SingleProcess } from '../../src/schedule/single-process.js';
import { linkGraph } from '../../src/schedule/topology.js';
import { type Costs, Mechanism, paperTenths } from './brute-force.js';

const random = randomNumbers(12);

function meterOf(parent: number[], dof: number[], model: ReturnType<typeof paperCost>): PartMeter {
  const graph = linkGraph({ joints: parent.length, parent, dof });
  return new PartMeter(linkTree(graph), costTable(model, graph, 1));
}

/** The part without the given end joints, which become its external joints; its single-process cost in microseconds. */
function costWithExternals(parent: number[], externalLinks: number[]): number {
  const all = [...parent, ...externalLinks];
  const meter = meterOf(
    all,
    all.map(() => 1),
    paperCost(),
  );
  const cuts = Int32Array.from(externalLinks, (_, i) => meter.tree.linkOf[parent.length + i]).sort();
  meter.measurePart({ top: 0, cuts });
  expect(meter.size).toBe(parent.length);
  expect(meter.handles).toBe(externalLinks.length);
  return meter.costs.toTime(meter.serial);
}

describe('the single-process optimum', () => {
  it('002-12: the chain on which the printed rule gives 52.6', () => {
    expect(costWithExternals([-1, 0], [-1, 0])).toBe(43.6);
  });

  it('002-12: six external joints on which the ascending rule gives 163.0', () => {
    expect(costWithExternals([-1, 0, 1], [-1, -1, -1, 1, 2, 2])).toBe(150.8);
  });

  const engine = engineCost({
    ...ENGINE_CONSTANTS,
    instruction: 1000,
    joints: [1, 3, 6].map((n) => ({ dof: n, one: 9 + n, two: 13 + 2 * n })),
    more: { quadratic: 0.7, linear: 3, constant: -2 },
    latency: 0,
  });
  const engineTenths = (dof: readonly number[]): Costs => ({
    counts: 'links',
    own: dof.map((n) => 90 + 10 * n),
    inner: dof.map((n) => 40 + 10 * n),
    shared: (k) => (k < 3 ? 0 : 7 * k * k + 30 * k - 20),
    handOver: 0,
  });
  const models = [
    { model: paperCost(), costs: (dof: readonly number[]) => paperTenths(dof) },
    { model: engine, costs: engineTenths },
  ];
  for (const { model, costs } of models) {
    it(`is exact for parts with many handles, and the tree built has that cost (${model.name})`, () => {
      let mostHandles = 0;
      for (let i = 0; i < 600; i++) {
        const n = 4 + Math.floor(random() * 10);
        const bias = random();
        const parent = Array.from({ length: n }, (_, j) =>
          random() < bias ? j - 1 : Math.floor(random() * (j + 1)) - 1,
        );
        const dof = parent.map(() => [1, 3, 6][Math.floor(random() * 3)]);
        const meter = meterOf(parent, dof, model);
        const part = randomPart(meter);
        meter.measurePart(part);
        const [serial, handles] = [meter.serial, meter.handles];
        if (meter.size === 0) continue;
        const mechanism = new Mechanism(parent, costs(dof));
        const flat = emptyFlatTree(n);
        new SingleProcess(meter, flat).place(part, TOP_SLOT);
        const joints = preorder(flat);
        let set = 0;
        for (const joint of joints) set |= 1 << joint;
        const where = `parents [${parent}], DOF [${dof}], joints [${joints}]`;
        expect(joints.length, where).toBe(partSize(part, meter.tree));
        expect(handles, where).toBe(mechanism.handles(set));
        expect(meter.costs.toTime(serial), where).toBeCloseTo(mechanism.least(set, 1) / 10, 9);
        expect(mechanism.serialOf(nest(flat.top), set), where).toBe(mechanism.least(set, 1));
        mostHandles = Math.max(mostHandles, handles);

        function nest(joint: number): [number, null, null] | null {
          return joint < 0
            ? null
            : ([joint, nest(flat.rootSide[joint]), nest(flat.endSide[joint])] as [number, null, null]);
        }
      }
      expect(mostHandles).toBeGreaterThanOrEqual(model.counts === 'joints' ? 6 : 5);
    });
  }
});

/** A part with cuts at random joints, none beyond another. */
function randomPart(meter: PartMeter): TreePart {
  const { tree } = meter;
  const top = random() < 0.5 ? 0 : Math.floor(random() * (tree.links - 1));
  const cuts: number[] = [];
  const often = random();
  for (let v = top + 1; v < tree.end[top]; v++) {
    const isEnd = tree.end[v] === v + 1; // mostly end joints, which leave many links with handles
    if (random() >= (isEnd ? often : often / 4)) continue;
    cuts.push(v);
    v = tree.end[v] - 1;
  }
  return { top, cuts: Int32Array.from(cuts) };
}
