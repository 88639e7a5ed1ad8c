// Draws docs/figures/contact-problem.svg, contact-cone.svg and contact-solvers.svg for docs/contacts.md; what is measured in them comes
// from worlds that this script runs. Usage, after npm run build: node scripts/contact-figures.mjs
import { writeFileSync } from 'node:fs';
import { COLORS, FAINT, INK, px, SHADE, svgDocument, text } from '../dist/plot/svg.js';
import { bundledScene } from '../dist/scenes/bundled.js';
import { sceneWorld } from '../dist/scenes/make-scene.js';
import { box, World } from '../dist/simulation/world/index.js';

const [BLUE, ORANGE, GREEN] = COLORS;
const write = (name, width, height, content) =>
  writeFileSync(
    new URL(`../docs/figures/${name}.svg`, import.meta.url),
    svgDocument(width, height, content.join('\n')),
  );
const title = (content, x = 20, y = 26) => text(x, y, content, 'font-size="14" font-weight="600"');
const line = (x1, y1, x2, y2, more = `stroke="${INK}"`) =>
  `<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" ${more}/>`;
const arrow = (x1, y1, x2, y2, color) => {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [a, b] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = [
    [x2, y2],
    [x2 - 9 * a + 4 * b, y2 - 9 * b - 4 * a],
    [x2 - 9 * a - 4 * b, y2 - 9 * b + 4 * a],
  ];
  const points = head.map((point) => point.map(px).join(',')).join(' ');
  return `${line(x1, y1, x2 - 6 * a, y2 - 6 * b, `stroke="${color}" stroke-width="2"`)}<polygon points="${points}" fill="${color}"/>`;
};

/** What a contact is in the problem: two bodies, a gap, a frame, an impulse. */
function problem() {
  const y = 170;
  write('contact-problem', 740, 250, [
    title('A contact of two bodies, and what is asked of it'),
    `<rect x="20" y="${y}" width="330" height="50" fill="${SHADE}"/>`,
    line(20, y, 350, y, `stroke="${INK}" stroke-width="1.5"`),
    `<circle cx="170" cy="${y - 58}" r="50" fill="none" stroke="${BLUE}" stroke-width="2"/>`,
    text(104, y - 112, 'body a'),
    text(40, y + 30, 'body b, or the ground'),
    `<circle cx="170" cy="${y}" r="3" fill="${INK}"/>`,
    arrow(170, y, 170, y - 110, GREEN),
    text(178, y - 118, 'normal n, from b to a'),
    arrow(170, y, 262, y, GREEN),
    text(250, y + 18, 't'),
    arrow(170, y, 228, y - 82, ORANGE),
    text(234, y - 66, 'impulse lambda'),
    text(180, y + 40, 'gap: touching up to 20 um'),
    text(390, 70, 'v = v* + H⁻¹ Jᵀ lambda', 'font-size="15"'),
    text(390, 92, 'velocities of the island at the end of the step'),
    text(390, 124, 'u = J v + b + R lambda', 'font-size="15"'),
    text(390, 146, 'velocity of a against b there: normal, and across'),
    text(390, 166, 'b: how fast a gap may close; restitution. R: compliance'),
    text(390, 198, 'lambda in the cone, u_n ≥ 0, and one of three:', 'font-weight="600"'),
    text(390, 218, 'open: lambda = 0;  stick: u = 0;'),
    text(390, 238, 'slide: u_n = 0, friction mu lambda_n against u_t'),
  ]);
}

/** Friction of a box that is dragged in 48 directions, over mu times its normal force. */
function draggedBox() {
  return Array.from({ length: 48 }, (_, k) => {
    const angle = (2 * Math.PI * k) / 48;
    const world = new World({ step: 0.005, ground: { friction: 0.5 } });
    const crate = world.add(box([0.4, 0.4, 0.2], { mass: 1, friction: 0.5 }), { at: [0, 0, 0.1] });
    for (let step = 0; step < 20; step++) {
      crate.push('box', [6 * Math.cos(angle), 6 * Math.sin(angle), 0]);
      world.step();
    }
    const { force } = world.contactForce(crate, 'box');
    return [force[0] / (0.5 * force[2]), force[1] / (0.5 * force[2])];
  });
}

function cone() {
  const [ox, oy] = [180, 235];
  const [x, y, r] = [560, 150, 90];
  const points = draggedBox();
  const worst = Math.max(...points.map(([a, b]) => Math.abs(Math.hypot(a, b) - 1)));
  const square = [
    [x + r, y],
    [x, y + r],
    [x - r, y],
    [x, y - r],
  ];
  write('contact-cone', 740, 300, [
    title('The cone of Coulomb'),
    `<polygon points="${ox},${oy} ${ox - 110},60 ${ox + 110},60" fill="${SHADE}"/>`,
    line(ox, oy, ox - 110, 60, `stroke="${INK}" stroke-width="1.5"`),
    line(ox, oy, ox + 110, 60, `stroke="${INK}" stroke-width="1.5"`),
    arrow(ox, oy, ox, 44, GREEN),
    text(ox + 8, 52, 'lambda_n'),
    line(ox - 150, oy, ox + 150, oy, `stroke="${FAINT}" stroke-width="1.5"`),
    text(ox + 118, oy - 6, 'lambda_t'),
    arrow(ox, oy, ox + 40, 120, BLUE),
    text(ox - 38, 84, 'stick: inside', `text-anchor="middle" font-size="11"`),
    arrow(ox, oy, ox + 97, 81, ORANGE),
    text(ox + 116, 96, 'slide: on it'),
    text(ox, oy + 18, 'open: at its tip', 'text-anchor="middle"'),
    text(ox, oy + 36, '|lambda_t| ≤ mu lambda_n', 'text-anchor="middle"'),
    title('Friction of a box dragged in 48 directions', 400),
    `<circle cx="${x}" cy="${y}" r="${r}" fill="none" stroke="${FAINT}" stroke-width="3"/>`,
    `<polygon points="${square.map((point) => point.join(',')).join(' ')}" fill="none" stroke="${ORANGE}" stroke-dasharray="4 3"/>`,
    ...points.map(([a, b]) => `<circle cx="${px(x + r * a)}" cy="${px(y - r * b)}" r="3" fill="${BLUE}"/>`),
    text(
      x,
      y + r + 24,
      `dots: forces of a run, ${worst.toExponential(0)} off the circle at most`,
      'text-anchor="middle"',
    ),
    text(x, y + r + 40, 'dashed: a pyramid of four sides, as others have it', `text-anchor="middle"`),
  ]);
}

/** Which solver ended the islands of some scenes, in per cent. */
function shares() {
  const counts = new Map();
  let all = 0;
  for (const [name, end] of [
    ['fall', 4],
    ['push', 3],
    ['humanoid', 4],
    ['dominoes', 2],
    ['paper-003', 2],
  ]) {
    const run = sceneWorld(bundledScene(name));
    while (run.stepTowards(end))
      for (const { solver, residual } of run.world.islands) {
        const key = residual <= 1e-8 ? solver : 'none';
        counts.set(key, (counts.get(key) ?? 0) + 1);
        all++;
      }
  }
  return (key) => `${(((counts.get(key) ?? 0) / all) * 100).toPrecision(3)} %`;
}

function solvers() {
  const share = shares();
  const boxes = [
    ['warm', 'the impulses of', 'the last step'],
    ['newton', 'on velocities:', 'H + Jᵀ W J'],
    ['interior', 'from inside of', 'the cones'],
    ['dense', 'on impulses:', 'G = J H⁻¹ Jᵀ'],
    ['proximal', 'on easier', 'problems'],
    ['admm', 'alternating', 'directions'],
  ];
  write('contact-solvers', 884, 190, [
    title('Solvers in turn, until one residual is at most 1e-9'),
    ...boxes.flatMap(([name, first, second], k) => {
      const x = 20 + 144 * k;
      return [
        `<rect x="${x}" y="52" width="122" height="70" rx="6" fill="${SHADE}" stroke="${k < 2 ? BLUE : INK}"/>`,
        text(x + 61, 72, name, 'text-anchor="middle" font-weight="600"'),
        text(x + 61, 92, first, 'text-anchor="middle" font-size="11"'),
        text(x + 61, 108, second, 'text-anchor="middle" font-size="11"'),
        ...(k === 0 ? [] : [arrow(x - 22, 87, x - 1, 87, INK)]),
        text(x + 61, 144, share(name), `text-anchor="middle" font-size="13"`),
      ];
    }),
    text(
      20,
      172,
      `Share of the islands of fall, push, humanoid, dominoes and paper-003 that each of them ends; above 1e-8: ${share('none')}.`,
    ),
  ]);
}

problem();
cone();
solvers();
