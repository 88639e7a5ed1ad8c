// Motors: ready controllers, and a slider for each joint.

import type { Physics } from '../physics/client.js';
import { CONTROLLERS } from '../physics/controller-names.js';
import type { Gains } from '../physics/protocol.js';
import type { PageState, Store } from '../store.js';
import { button, element } from './dom.js';

const MOST_SLIDERS = 200;

export function controlPanel(panel: HTMLElement, store: Store, physics: Physics, follow: () => void): void {
  const ready = element('p', { className: 'row' });
  const stiff = gain('Stiffness, 1/s', 'stiff', [1, 40, 15]);
  const damped = gain('Damping, part of critical', 'damped', [0, 2, 1]);
  const gains = (): Gains => ({ stiff: Number(stiff.input.value), damped: Number(damped.input.value) });
  for (const { name, title, about } of CONTROLLERS) {
    const choose = button(title, () => void physics.ask({ do: 'controller', name, gains: gains() }), about);
    choose.id = `controller-${name}`;
    ready.append(choose);
  }
  const sliders = element('div', { className: 'sliders' });
  panel.append(
    element('h3', {}, 'Controllers'),
    ready,
    element(
      'p',
      { className: 'row' },
      button('Follow a captured motion', follow, 'Motors follow a walk, or a motion of yours'),
    ),
    element('h3', {}, 'Gains'),
    stiff.label,
    damped.label,
    element('h3', {}, 'Joint targets'),
    sliders,
  );
  // Motors that are set already get the new gains, too.
  for (const { input } of [stiff, damped])
    input.onchange = () => {
      for (const again of motors.values()) again();
    };
  /** Sets the motor of a joint anew, by its place. */
  const motors = new Map<string, () => void>();
  let inputs: { readonly input: HTMLInputElement; readonly q: number; readonly out: HTMLOutputElement }[] = [];
  const draw = ({ scene }: PageState): void => {
    sliders.replaceChildren();
    inputs = [];
    let first = 0;
    scene?.members.forEach(({ joints }, m) => {
      joints.forEach(({ name, nv, iq, limits, driven }) => {
        if (nv !== 1 || inputs.length >= MOST_SLIDERS) return;
        const { lower = -Math.PI, upper = Math.PI } = limits;
        const out = element('output', { className: 'slider-value', 'aria-live': 'off' });
        const input = element('input', { type: 'range', min: String(lower), max: String(upper), step: '0.01' });
        const label = element('label', { className: driven ? 'slider driven' : 'slider' }, name, input, out);
        input.oninput = () => {
          label.classList.add('driven');
          const position = Number(input.value);
          const drive = (): void =>
            void physics.ask({ do: 'target', member: m, joint: name, position, gains: gains() });
          motors.set(`${m}/${name}`, drive);
          drive();
        };
        sliders.append(label);
        inputs.push({ input, q: first + iq, out });
      });
      first += joints.reduce((sum, { nq }) => sum + nq, 0);
    });
    if (inputs.length === 0) sliders.append(element('p', {}, 'No joint here has one degree of freedom.'));
  };
  store.subscribe((state, before) => {
    if (state.scene?.title !== before.scene?.title) motors.clear();
    if (state.scene !== before.scene) draw(state);
    const { frame } = state;
    if (frame === undefined || frame === before.frame || panel.hidden) return;
    for (const { input, q, out } of inputs) {
      // Adding 0 makes 0 of -0.
      out.textContent = (Math.round(100 * frame.q[q]) / 100 + 0).toFixed(2);
      if (document.activeElement !== input) input.value = String(frame.q[q]);
    }
  });
}

/** A slider for a gain: least, most, and where it begins. */
function gain(
  name: string,
  id: string,
  [min, max, value]: readonly [number, number, number],
): { readonly label: HTMLLabelElement; readonly input: HTMLInputElement } {
  const input = element('input', { type: 'range', id: `gain-${id}`, min: `${min}`, max: `${max}`, step: '0.1' });
  input.value = String(value);
  const out = element('output', { className: 'slider-value', 'aria-live': 'off' }, input.value);
  input.oninput = () => {
    out.textContent = input.value;
  };
  return { label: element('label', { className: 'slider' }, name, input, out), input };
}
