// A figure hangs by its hands. The mouse drags it by any part, H holds that part where it is, a button lets it go again.
import { State, type Vec3 } from 'manikin';
import { builtinMechanism } from 'manikin/models';
import { Figure } from 'manikin/three';
import { World } from 'manikin/world';
import {
  AmbientLight,
  Color,
  DirectionalLight,
  GridHelper,
  PerspectiveCamera,
  Plane,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';

// The mechanics: a figure above the ground, its joints a little stiff in motion.
const world = new World({ step: 0.004, ground: true });
const DAMPING = 1.5; // N m s, in every joint but the free base, whose six velocities come first
const mechanism = builtinMechanism('human-34');
const start = new State(mechanism);
for (const side of ['left', 'right']) start.set(`${side}_shoulder_y`, -3); // arms up
const member = world.add(mechanism, {
  state: start,
  at: [0, 0, 1.2],
  control: (tau, { v }) => {
    for (let k = 6; k < v.length; k++) tau[k] = -DAMPING * v[k];
  },
});
const held = new Set<string>();

function hold(body: string, at: Vec3): void {
  if (held.has(body)) return;
  world.connect(member, { name: `${body} held`, a: body, b: null, joint: { type: 'spherical' }, at });
  held.add(body);
  showGrips();
}

function release(body: string): void {
  world.disconnect(member, `${body} held`);
  held.delete(body);
  showGrips();
}

// The picture: z is up, as in the mechanics.
const renderer = new WebGLRenderer({ canvas: element('view', HTMLCanvasElement), antialias: true });
const camera = new PerspectiveCamera(40, 1, 0.1, 50);
camera.up.set(0, 0, 1);
camera.position.set(4.6, -3, 2);
camera.lookAt(0, 0, 1.25);
const scene = new Scene();
scene.background = new Color(0xe8ecf2);
const sun = new DirectionalLight(0xffffff, 2.5);
sun.position.set(2, -3, 6);
const grid = new GridHelper(8, 16, 0x8899aa, 0xc4ccd6);
grid.rotateX(Math.PI / 2);
const figure = new Figure(member.state.mechanism, { color: 0xc98a5b });
scene.add(new AmbientLight(0xffffff, 1.2), sun, grid, figure);

function resize(): void {
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
}
addEventListener('resize', resize);
resize();

// Dragging: a damped spring from a point of the body to where the mouse points, in the plane that faces the camera.
const STIFFNESS = 400; // N/m
const RESISTANCE = 40; // N s/m
let drag: { body: string; point: Vector3; plane: Plane; target: Vector3; last: Vector3 } | undefined;
const ray = new Raycaster();

function aim({ clientX, clientY }: PointerEvent): void {
  ray.setFromCamera(new Vector2((2 * clientX) / innerWidth - 1, 1 - (2 * clientY) / innerHeight), camera);
}

function gripOf({ body, point }: { body: string; point: Vector3 }): Vector3 {
  return point.clone().applyMatrix4(figure.bodies[member.state.mechanism.bodyIndex(body)].matrix);
}

renderer.domElement.addEventListener('pointerdown', (event) => {
  aim(event);
  const [hit] = ray.intersectObject(figure);
  const body = hit && figure.bodyOf(hit.object);
  if (hit === undefined || body === undefined) return;
  renderer.domElement.setPointerCapture(event.pointerId);
  const frame = figure.bodies[member.state.mechanism.bodyIndex(body)].matrix.clone().invert();
  const plane = new Plane().setFromNormalAndCoplanarPoint(camera.getWorldDirection(new Vector3()), hit.point);
  drag = { body, point: hit.point.clone().applyMatrix4(frame), plane, target: hit.point, last: hit.point.clone() };
  renderer.domElement.style.cursor = 'grabbing';
});
renderer.domElement.addEventListener('pointermove', (event) => {
  aim(event);
  if (drag !== undefined) ray.ray.intersectPlane(drag.plane, drag.target);
  else renderer.domElement.style.cursor = ray.intersectObject(figure).length > 0 ? 'grab' : '';
});
renderer.domElement.addEventListener('pointerup', () => {
  drag = undefined;
  renderer.domElement.style.cursor = '';
});
addEventListener('keydown', ({ key }) => {
  if (drag === undefined || key.toLowerCase() !== 'h') return;
  hold(drag.body, gripOf(drag).toArray());
  drag = undefined;
});

function pull(): void {
  if (drag === undefined) return;
  const at = gripOf(drag);
  const velocity = at.clone().sub(drag.last).divideScalar(world.stepSize);
  drag.last.copy(at);
  const force = drag.target
    .clone()
    .sub(at)
    .clampLength(0, 0.5)
    .multiplyScalar(STIFFNESS)
    .addScaledVector(velocity, -RESISTANCE);
  member.push(drag.body, force.toArray(), at.toArray());
}

function showGrips(): void {
  element('grips', HTMLElement).replaceChildren(
    ...[...held].map((body) => {
      const button = document.createElement('button');
      button.textContent = `release ${body.replace('_', ' ')}`;
      button.addEventListener('click', () => release(body));
      return button;
    }),
  );
}

function element<T extends Element>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`There is no ${type.name} "${id}" in the page.`);
  return found;
}

figure.follow(member.state);
for (const hand of ['left_hand', 'right_hand']) hold(hand, world.pose(member, hand).t);

let before = performance.now();
let due = 0; // seconds that the mechanics is behind the clock
renderer.setAnimationLoop((now) => {
  // At most three hundredths of a second for each picture: a slow machine shows slow motion instead of standing still.
  due = Math.min(due + (now - before) / 1000, 0.03);
  before = now;
  for (; due >= world.stepSize; due -= world.stepSize) {
    pull();
    world.step();
    figure.follow(member.state);
  }
  renderer.render(scene, camera);
  const height = world.pose(member, 'head').t[2];
  element('status', HTMLElement).textContent =
    `${world.time.toFixed(1)} s, head ${height.toFixed(2)} m high, ${world.report.contacts} contact points`;
});
