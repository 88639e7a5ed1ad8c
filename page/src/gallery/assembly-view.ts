// A chain whose assembly tree is cut by hand, beside the best tree for so many processors ([002]).

import { button, element, short } from '../views/dom.js';
import { Studies } from './client.js';
import type { Assembled, TreePoint } from './protocol.js';
import { afterwards, type GalleryView, slider } from './views.js';

const SVG = 'http://www.w3.org/2000/svg';

export const assemblyView: GalleryView = (panel, { load, store }) => {
  const studies = new Studies();
  let [joints, processors, cuts] = [12, 4, [] as number[]];
  const row = element('div', { className: 'cuts', 'aria-label': 'Joints of the chain, from the root' });
  row.setAttribute('role', 'group');
  const result = element('p', { 'aria-live': 'polite', className: 'result' });
  const trees = element('div');
  const ask = (): void => {
    studies
      .ask({ kind: 'assembly', joints, processors, cuts }, ({ assembled }) => assembled && show(assembled))
      .catch((error: unknown) => {
        result.textContent = (error as Error).message;
      });
  };
  const askSoon = afterwards(ask, 50);
  const cut = (joint: number): void => {
    if (joint >= joints) return;
    cuts = cuts.includes(joint) ? cuts.filter((other) => other !== joint) : [...cuts, joint];
    draw();
    askSoon();
  };
  const draw = (): void => {
    row.replaceChildren(
      ...Array.from({ length: joints }, (_, k) => {
        const order = cuts.indexOf(k);
        const pick = button(
          String(k + 1),
          () => cut(k),
          order < 0 ? `Cut at joint ${k + 1}` : `Cut number ${order + 1}: take it back`,
        );
        pick.setAttribute('aria-pressed', String(order >= 0));
        pick.setAttribute('aria-label', pick.title);
        return pick;
      }),
    );
  };
  const show = ({ makespan, serial, depth, tree, best }: Assembled): void => {
    const worse = makespan / best.makespan;
    const verdict =
      worse < 1 + 1e-9
        ? 'No tree is better.'
        : `The best takes ${short(best.makespan)} us${best.optimal ? '' : ' (the best found)'}: yours takes ${short(worse)} times as long.`;
    result.textContent = `Your tree of depth ${depth} takes ${short(makespan)} us on ${processors} processors, ${short(serial)} us on one. ${verdict}`;
    trees.replaceChildren(
      element('h3', {}, 'Your tree'),
      picture(tree, joints, cuts, 'Your assembly tree'),
      element('h3', {}, `The best for ${processors} processors, depth ${best.depth}`),
      picture(best.tree, joints, [], 'The best assembly tree'),
    );
  };
  panel.append(
    element(
      'p',
      {},
      'A cut divides the chain into two parts that are assembled at the same time. Click joints here, or bodies of the chain; what you leave is assembled joint by joint.',
    ),
    slider('Joints', { min: 4, max: 24, step: 1, value: joints }, (value) => {
      joints = value;
      cuts = cuts.filter((joint) => joint < joints);
      draw();
      askSoon();
      load(`chain-${joints}`);
    }),
    slider('Processors', { min: 1, max: 16, step: 1, value: processors }, (value) => {
      processors = value;
      askSoon();
    }),
    row,
    element(
      'p',
      { className: 'row' },
      button('Take the last cut back', () => {
        cuts = cuts.slice(0, -1);
        draw();
        askSoon();
      }),
      button('Begin again', () => {
        cuts = [];
        draw();
        askSoon();
      }),
    ),
    result,
    trees,
  );
  draw();
  load(`chain-${joints}`);
  ask();
  // A body of the chain hangs on the joint of its number.
  const leave = store.subscribe(({ picked }, before) => {
    if (picked !== undefined && picked !== before.picked && panel.closest('[hidden]') === null) cut(picked.body);
  });
  return {
    close: () => {
      leave();
      studies.end();
    },
  };
};

/** A tree: joints from left to right, the one that is assembled last on top. */
function picture(tree: readonly TreePoint[], joints: number, cuts: readonly number[], title: string): SVGSVGElement {
  const [dx, dy] = [24, 26];
  const make = (tag: string, attributes: Readonly<Record<string, string | number>>, text = ''): SVGElement => {
    const made = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    made.textContent = text;
    return made;
  };
  const depth = Math.max(...tree.map(({ level }) => level)) + 1;
  const svg = make('svg', {
    viewBox: `0 0 ${dx * joints} ${dy * depth}`,
    role: 'img',
    class: 'assembly',
  }) as SVGSVGElement;
  svg.setAttribute('aria-label', `${title}: depth ${depth}`);
  const level = new Map(tree.map((point) => [point.joint, point.level]));
  const x = (joint: number): number => dx * (joint + 0.5);
  const y = (joint: number): number => dy * (level.get(joint)! + 0.5);
  for (const { joint, parent } of tree)
    if (parent !== undefined) svg.append(make('line', { x1: x(joint), y1: y(joint), x2: x(parent), y2: y(parent) }));
  for (const { joint } of tree) {
    svg.append(make('circle', { cx: x(joint), cy: y(joint), r: 9, class: cuts.includes(joint) ? 'cut' : '' }));
    svg.append(make('text', { x: x(joint), y: y(joint) + 3.5 }, String(joint + 1)));
  }
  return svg;
}
