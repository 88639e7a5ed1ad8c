// Draws docs/figures/cluster-scaling.svg, and prints the table of docs/cluster.md: how one chain scales over ranks, by a model
// whose constants were measured (manikin calibrate --mpi; npm run bench -- cluster).
//   npm run build && node scripts/cluster-figure.mjs
//
// A step of n joints over p ranks, in the steady state of the schedule:
//
//   T(n, p) = n t(n/p) / ((p - 1) / (a + b) + 1 / a) + ceil(log2 p) j t + (1 + ceil(log2 p)) L + 2 (p - 1) o,    T(n, 1) = n a t(n)
//
//   a, b   instructions of a link, and what the mixed form adds on all ranks but the last (schedule/cost.ts)
//   j      instructions of a join, up and down
//   t      time of an instruction, by the links of a rank
//   L      time of a message; velocities once, then parts level by level
//   o      time of a rank for a message: every rank is told the velocities of all above it
import { writeFileSync } from 'node:fs';
import { Planner } from '../dist/engines/threads/planner.js';
import { builtinMechanism } from '../dist/models/index.js';
import { linePlot, svgDocument } from '../dist/plot/index.js';
import { ENGINE_CONSTANTS } from '../dist/schedule/index.js';
import { instructionNs } from '../dist/schedule/rank-constants.js';

/** Measured on AMD EPYC, two cores, Node 20.20, other programs running. */
const INSTRUCTIONS = [
  { links: 1024, ns: 0.132 },
  { links: 8192, ns: 0.138 },
  { links: 65_536, ns: 0.21 },
];
const OVERHEAD = 220;
const NETWORKS = [
  { name: 'one machine, 0.22 us', ns: 220 },
  { name: 'TCP, 44 us', ns: 44_000 },
  { name: 'TCP, 118 us', ns: 118_000 },
];

const { one, two } = ENGINE_CONSTANTS.joints.find(({ kind }) => kind === 'revolute');
const { up, down } = new Planner(builtinMechanism('chain-16')).find(1).costs.join({ handle: 6, at: 6, port: 6 });
const t = (links) => instructionNs({ instructions: INSTRUCTIONS }, links);
const alone = (n) => n * one * t(n);
const spread = (n, p, latency, overhead = OVERHEAD) => {
  const levels = Math.ceil(Math.log2(p));
  const links = (n * t(n / p)) / ((p - 1) / two + 1 / one);
  return links + levels * (up + down) * t(1) + (1 + levels) * latency + 2 * (p - 1) * overhead;
};
const speedUp = (n, p, latency) => (p === 1 ? 1 : alone(n) / spread(n, p, latency));

// Against the scheduler, which plays every step, and has all messages under way at once.
for (const { name, ns } of NETWORKS) {
  const ranks = { messages: [{ bytes: 8, ns }], instructions: INSTRUCTIONS };
  const planner = new Planner(builtinMechanism('chain-2048'), { ...ENGINE_CONSTANTS, ranks });
  const row = [2, 4, 8].map((p) => `${p} ranks ${(spread(2048, p, ns, 0) / planner.find(p).ns).toFixed(2)}`);
  console.log(`model / scheduler, ${name}, chain-2048: ${row.join(', ')}`);
}

const RANKS = Array.from({ length: 11 }, (_, k) => 2 ** k);
const JOINTS = [1e4, 1e5, 1e6, 1e7];
/** The joints from which on so many ranks do at least so much of the work of as many machines. */
const leastJoints = (p, latency, efficiency) => {
  let [low, high] = [1, 1e12];
  while (high / low > 1.001) {
    const middle = Math.sqrt(low * high);
    if (speedUp(middle, p, latency) / p >= efficiency) high = middle;
    else low = middle;
  }
  return high;
};
const EFFICIENCY = 0.4;
for (const { name, ns } of NETWORKS) {
  console.log(
    `\n${name}\n| ranks | ${JOINTS.map((n) => n.toExponential(0)).join(' | ')} | joints for efficiency ${EFFICIENCY} |`,
  );
  for (const p of RANKS.slice(1)) {
    const cells = JOINTS.map((n) => speedUp(n, p, ns).toFixed(speedUp(n, p, ns) < 10 ? 1 : 0));
    console.log(`| ${p} | ${cells.join(' | ')} | ${leastJoints(p, ns, EFFICIENCY).toExponential(1)} |`);
  }
}
const [width, height] = [640, 360];
const [, tcp] = NETWORKS;
const plots = [
  linePlot(
    JOINTS.map((n) => ({
      label: `${n.toExponential(0).replace('e+', 'e')} joints`,
      points: RANKS.map((p) => [p, speedUp(n, p, tcp.ns)]),
    })),
    {
      x: 0,
      y: 0,
      width,
      height,
      title: `${tcp.name}`,
      xLabel: 'ranks',
      yLabel: 'times faster than one core',
      logX: true,
      logY: true,
    },
  ),
  linePlot(
    NETWORKS.map(({ name, ns }) => ({
      label: name,
      points: RANKS.slice(1).map((p) => [p, leastJoints(p, ns, EFFICIENCY)]),
    })),
    {
      x: 0,
      y: height,
      width,
      height,
      xLabel: 'ranks',
      yLabel: `joints for an efficiency of ${100 * EFFICIENCY} %`,
      logX: true,
      logY: true,
    },
  ),
];
writeFileSync(
  new URL('../docs/figures/cluster-scaling.svg', import.meta.url),
  svgDocument(width, 2 * height, plots.join('\n')),
);
