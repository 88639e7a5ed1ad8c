// Motors: ready controllers, and a slider for each joint.

import type { Physics } from '../physics/client.js';
import { CONTROLLERS } from '../physics/controllers.js';
import type { PageState, Store } from '../store.js';
import { button, element } from './dom.js';

const MOST_SLIDERS = 200;

export function controlPanel(panel: HTMLElement, store: Store, physics: Physics): void {
  const ready = element('p', { className: 'row' });
  for (const { name, title, about } of CONTROLLERS) {
    const choose = button(title, () => void physics.ask({ do: 'controller', name }), about);
    choose.id = `controller-${name}`;
    ready.append(choose);
  }
  const sliders = element('div', { className: 'sliders' });
  panel.append(element('h3', {}, 'Controllers'), ready, element('h3', {}, 'Joint targets'), sliders);
  let inputs: { readonly input: HTMLInputElement; readonly q: number; readonly out: HTMLOutputElement }[] = [];
  const draw = ({ scene }: PageState): void => {
    sliders.replaceChildren();
    inputs = [];
    let first = 0;
    scene?.members.forEach(({ joints }, m) => {
      joints.forEach(({ name, nv, iq, limits, driven }) => {
        if (nv !== 1 || inputs.length >= MOST_SLIDERS) return;
        const { lower = -Math.PI, upper = Math.PI } = limits;
        const out = element('output', { className: 'slider-value' });
        const input = element('input', { type: 'range', min: String(lower), max: String(upper), step: '0.01' });
        const label = element('label', { className: driven ? 'slider driven' : 'slider' }, name, input, out);
        input.oninput = () => {
          label.classList.add('driven');
          void physics.ask({ do: 'target', member: m, joint: name, position: Number(input.value) });
        };
        sliders.append(label);
        inputs.push({ input, q: first + iq, out });
      });
      first += joints.reduce((sum, { nq }) => sum + nq, 0);
    });
    if (inputs.length === 0) sliders.append(element('p', {}, 'No joint here has one degree of freedom.'));
  };
  store.subscribe((state, before) => {
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
