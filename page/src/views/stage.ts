// The scene in three dimensions: figures, ground, light, camera; picking and dragging.

import { PosedFigure, shapeMesh } from 'manikin/three';
import {
  Box3,
  Group,
  type Mesh,
  Object3D,
  PerspectiveCamera,
  Plane,
  Raycaster,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Frame, Grip, SceneView } from '../physics/protocol.js';
import type { MemberSchedule, Picked } from '../store.js';
import type { View } from './link.js';
import { Overlays } from './overlays.js';
import { Surroundings } from './surroundings.js';

// Models have z upwards.
Object3D.DEFAULT_UP.set(0, 0, 1);

const POSE = 12;
/** 1/s: how fast the camera follows. */
const FOLLOW = 5;
/** Where the camera stands first, for a scene of one metre. */
const FRONT = [1.05, -1.05, 0.35] as const;
/** Of what is smaller the camera keeps away as of this, metres. */
const LEAST = 1e-4;
/** What the camera sees, for a scene of one metre. */
const [NEAR, FAR] = [0.01, 250];
const PICKED_COLOUR = '#ffb000';
/** Colours of processors. */
export const PROCESSOR_COLOURS = [
  '#1f77d0',
  '#e8710a',
  '#2ca02c',
  '#d33a2c',
  '#7a3ff2',
  '#8c564b',
  '#d957b0',
  '#7f8a00',
];

type Vec3 = readonly [number, number, number];
type ShapeMesh = NonNullable<ReturnType<typeof shapeMesh>>;

export interface StageEvents {
  /** A body was clicked; null: none was. `bar`: which way a bar lies that was clicked instead. */
  pick(grip: Grip | null, connect: boolean, bar?: Vec3): void;
  drag(grip: Grip | null, to?: readonly [number, number, number]): void;
}

export class Stage {
  readonly overlays = new Overlays();
  follow = true;
  readonly #canvas: HTMLCanvasElement;
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Surroundings();
  readonly #camera = new PerspectiveCamera(45);
  readonly #controls: OrbitControls;
  readonly #dark = matchMedia('(prefers-color-scheme: dark)');
  /** All that has the coordinates of the scene, turned so that its upward direction is that of the picture. */
  readonly #world = new Group();
  readonly #obstacles = new Group();
  readonly #events: StageEvents;
  #figures: PosedFigure[] = [];
  #first: number[] = [];
  #frame: Frame | undefined;
  #dragging: { readonly grip: Grip; readonly plane: Plane; moved: boolean } | undefined;
  #pressed = new Vector2();
  readonly #ray = new Raycaster();
  /** The centre of mass to which the camera has come. */
  readonly #centre = new Vector3();
  /** The next frame is of another scene: the camera goes to it. */
  #lookFrom = true;
  #seenFrom: readonly [number, number, number] = FRONT;
  /** When `render` was called last, milliseconds. */
  #drawn = performance.now();
  /** Whether the next picture would look different. */
  #stale = true;

  constructor(canvas: HTMLCanvasElement, events: StageEvents) {
    this.#canvas = canvas;
    this.#events = events;
    this.#renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.#renderer.shadowMap.enabled = true;
    this.#controls = new OrbitControls(this.#camera, canvas);
    this.#controls.addEventListener('change', () => {
      this.#stale = true;
    });
    this.#controls.maxPolarAngle = Math.PI * 0.95;
    this.#world.add(this.#scene.floor, this.#obstacles, this.overlays);
    this.#scene.add(this.#world);
    this.theme();
    this.#listen();
  }

  get view(): View {
    return { position: this.#camera.position.toArray(), target: this.#controls.target.toArray() };
  }

  set view({ position, target }: View) {
    this.#camera.position.fromArray(position as number[]);
    this.#controls.target.fromArray(target as number[]);
    this.#controls.update();
  }

  /** Turns the view about what it looks at, radians to the side and upwards. */
  turn(side: number, up: number): void {
    const way = this.#camera.position.clone().sub(this.#controls.target);
    const around = Math.atan2(way.y, way.x) + side;
    const flat = Math.hypot(way.x, way.y);
    const steep = Math.min(1.5, Math.max(-1.4, Math.atan2(way.z, flat) + up));
    const far = way.length();
    way
      .set(Math.cos(around) * Math.cos(steep), Math.sin(around) * Math.cos(steep), Math.sin(steep))
      .multiplyScalar(far);
    this.#camera.position.copy(this.#controls.target).add(way);
    this.#stale = true;
  }

  /** So many times as far away. */
  zoom(factor: number): void {
    const { target } = this.#controls;
    this.#camera.position.sub(target).multiplyScalar(factor).add(target);
    this.#stale = true;
  }

  /** What is looked at goes to the right and upwards in the picture, by parts of its distance. */
  shift(right: number, up: number): void {
    const { target } = this.#controls;
    const far = this.#camera.position.distanceTo(target);
    const way = new Vector3(right * far, up * far, 0).applyQuaternion(this.#camera.quaternion).negate();
    target.add(way);
    this.#camera.position.add(way);
    this.#stale = true;
  }

  /** To the right, upwards and away, seen from the camera, level with the ground: unit vectors of the scene. */
  get directions(): { readonly right: Vec3; readonly up: Vec3; readonly away: Vec3 } {
    const [x, y] = this.#camera.getWorldDirection(new Vector3()).toArray();
    const length = Math.hypot(x, y) || 1;
    const own = (...way: Vec3): Vec3 => this.#world.worldToLocal(new Vector3(...way)).toArray();
    return { right: own(y / length, -x / length, 0), up: own(0, 0, 1), away: own(x / length, y / length, 0) };
  }

  /** Light or dark as the page is. */
  theme(): void {
    this.#stale = true;
    this.#scene.theme(this.#dark.matches);
    for (const { material } of this.#obstacles.children as ShapeMesh[]) material.color.set(this.#obstacleColour);
  }

  /** Metres of a square of the grid. */
  get square(): number {
    return this.#scene.square;
  }

  get #obstacleColour(): number {
    return this.#dark.matches ? 0x3b434c : 0x59636e;
  }

  /** Another scene or another structure. `look`: the camera goes to it. */
  arrange(view: SceneView, look: boolean): void {
    this.#stale = true;
    for (const figure of this.#figures) {
      this.#world.remove(figure);
      figure.dispose();
    }
    let first = 0;
    this.#first = [];
    this.#figures = view.members.map((member) => {
      const figure = new PosedFigure(member);
      this.#first.push(first);
      first += POSE * member.bodies.length;
      this.#world.add(figure);
      return figure;
    });
    for (const { geometry, material } of this.#obstacles.children as ShapeMesh[]) {
      geometry.dispose();
      material.dispose();
    }
    this.#obstacles.clear();
    for (const shape of view.obstacles) {
      const mesh = shape.geometry.kind === 'plane' ? undefined : shapeMesh(shape, this.#obstacleColour);
      if (mesh === undefined) continue;
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      this.#obstacles.add(mesh);
    }
    const plane = view.obstacles.find(({ geometry }) => geometry.kind === 'plane');
    const [x, y, z] = view.up ?? [0, 0, 1];
    this.#world.quaternion.setFromUnitVectors(new Vector3(x, y, z), new Vector3(0, 0, 1));
    this.#world.updateMatrixWorld(true);
    const { floor } = this.#scene;
    this.#scene.grounded = plane !== undefined;
    // Where there is no ground, the grid stays below what was looked at first.
    if (plane !== undefined || look) floor.position.set(...(plane?.t ?? [0, 0, 0]));
    const normal = plane === undefined ? new Vector3(x, y, z) : new Vector3(...plane.E.slice(6));
    floor.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), normal);
    this.overlays.arrange(view);
    this.#seenFrom = view.seenFrom ?? FRONT;
    if (look) this.#lookFrom = true;
  }

  show(frame: Frame): void {
    this.#stale = true;
    this.#frame = frame;
    this.#figures.forEach((figure, m) => {
      figure.place(frame.poses, this.#first[m]);
    });
    if (this.#lookFrom) this.#lookAt(frame);
    this.#lookFrom = false;
    this.overlays.update(frame);
  }

  /** The whole scene from the front, a little from above. */
  #lookAt({ com }: Frame): void {
    const all = new Box3();
    const box = new Box3();
    const boxes = this.#figures.flatMap((figure) => {
      const sizes = figure.bodies.map((body) => box.setFromObject(body).getSize(new Vector3()).length());
      const size = box.setFromObject(figure).getSize(new Vector3()).length();
      if (!box.isEmpty()) all.union(box);
      return box.isEmpty() ? [] : [{ size, body: sizes.reduce((sum, one) => sum + one, 0) / sizes.length }];
    });
    const centre = all.isEmpty() ? new Vector3() : all.getCenter(new Vector3());
    const size = all.isEmpty() ? 1 : Math.max(LEAST, all.getSize(new Vector3()).length());
    this.#scene.fit(size);
    this.overlays.fit(
      Math.max(LEAST, ...boxes.map((one) => one.size)),
      Math.max(LEAST, ...boxes.map(({ body }) => body)),
    );
    this.#camera.near = NEAR * size;
    this.#camera.far = FAR * size;
    this.#camera.updateProjectionMatrix();
    this.#controls.target.copy(centre);
    this.#camera.position.copy(centre).add(new Vector3(...this.#seenFrom).multiplyScalar(size));
    this.#controls.update();
    this.#centre.set(...com).applyQuaternion(this.#world.quaternion);
    // What hangs below the height of the ground, where there is none, has the grid below it.
    if (this.#scene.grounded) return;
    // So has what they stand on: lines across a slope would lie nowhere.
    for (const obstacle of this.#obstacles.children) all.union(box.setFromObject(obstacle));
    const low = all.isEmpty() ? 0 : all.min.z;
    this.#scene.floor.position
      .set(0, 0, Math.min(0, low - 0.1 * size))
      .applyQuaternion(this.#world.quaternion.clone().invert());
  }

  /** Draws where something has changed; called once a picture. */
  render(always = false): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const ratio = Math.min(2, devicePixelRatio);
    const size = this.#renderer.getSize(new Vector2());
    if (size.x !== width || size.y !== height || this.#renderer.getPixelRatio() !== ratio) {
      this.#renderer.setPixelRatio(ratio);
      this.#renderer.setSize(width, height, false);
      this.#camera.aspect = width / Math.max(1, height);
      this.#camera.updateProjectionMatrix();
      this.#stale = true;
    }
    const now = performance.now();
    const part = 1 - Math.exp((FOLLOW * (this.#drawn - now)) / 1000);
    this.#drawn = now;
    if (this.follow && this.#frame !== undefined && this.#dragging === undefined) {
      // The camera goes along with the centre of mass, softly.
      const way = new Vector3(...this.#frame.com)
        .applyQuaternion(this.#world.quaternion)
        .sub(this.#centre)
        .multiplyScalar(part);
      if (way.length() > 1e-5 * this.#scene.square) {
        this.#stale = true;
        this.#centre.add(way);
        this.#controls.target.add(way);
        this.#camera.position.add(way);
      }
    }
    if (this.#controls.update()) this.#stale = true;
    if (!this.#stale && !always) return;
    this.#stale = false;
    this.#scene.follow(this.#controls.target);
    this.#renderer.render(this.#scene, this.#camera);
  }

  /** The picked body stands out; the others have their own colours, or, in the mechanism of a schedule, those of processors. */
  paint({ members }: SceneView, picked: Picked | undefined, schedule: MemberSchedule | undefined): void {
    this.#stale = true;
    const owners = new Map(schedule?.owners);
    members.forEach(({ joints }, m) => {
      joints.forEach(({ name }, b) => {
        const owner = schedule?.member === m ? owners.get(name) : undefined;
        const own = owner === undefined ? null : PROCESSOR_COLOURS[owner % PROCESSOR_COLOURS.length];
        this.#figures[m].paint(b, picked?.member === m && picked.body === b ? PICKED_COLOUR : own);
      });
    });
  }

  #at(event: PointerEvent): Vector2 {
    const { left, top, width, height } = this.#canvas.getBoundingClientRect();
    return new Vector2(((event.clientX - left) / width) * 2 - 1, 1 - ((event.clientY - top) / height) * 2);
  }

  /** The body under the pointer, and where it was hit. */
  #hit(event: PointerEvent): { readonly grip: Grip; readonly point: Vector3 } | undefined {
    // What has come since the last picture was drawn is to be hit, too.
    this.#world.updateMatrixWorld(true);
    this.#camera.updateMatrixWorld();
    this.#ray.setFromCamera(this.#at(event), this.#camera);
    const [hit] = this.#ray.intersectObjects(this.#figures, true);
    if (hit === undefined) return undefined;
    for (const [member, figure] of this.#figures.entries()) {
      const name = figure.bodyOf(hit.object);
      const body = figure.bodies.findIndex((group) => group.name === name);
      if (name === undefined || body < 0) continue;
      const local = figure.bodies[body].worldToLocal(hit.point.clone());
      return { grip: { member, body, point: [local.x, local.y, local.z] }, point: hit.point };
    }
    return undefined;
  }

  /** Which way the bar lies that is under the pointer, scene coordinates. */
  #bar(event: PointerEvent): Vec3 | undefined {
    this.#ray.setFromCamera(this.#at(event), this.#camera);
    const [hit] = this.#ray.intersectObjects(this.#obstacles.children, false);
    if (!/Cylinder|Capsule/.test((hit?.object as Mesh | undefined)?.geometry.type ?? '')) return undefined;
    // Along z of its own; obstacles stand in the coordinates of the scene.
    return new Vector3(0, 0, 1).applyQuaternion(hit.object.quaternion).toArray();
  }

  #listen(): void {
    const canvas = this.#canvas;
    // Before the camera's own listener: a body that is drawn does not turn the view.
    canvas.addEventListener(
      'pointerdown',
      (event) => {
        this.#pressed.set(event.clientX, event.clientY);
        if (event.button !== 0) return;
        const hit = this.#hit(event);
        if (hit === undefined) return;
        this.#controls.enabled = false;
        canvas.setPointerCapture(event.pointerId);
        const normal = this.#camera.getWorldDirection(new Vector3()).negate();
        const plane = new Plane().setFromNormalAndCoplanarPoint(normal, hit.point);
        this.#dragging = { grip: hit.grip, plane, moved: false };
      },
      { capture: true },
    );
    canvas.addEventListener('pointermove', (event) => {
      const dragging = this.#dragging;
      if (dragging === undefined) return;
      if (!dragging.moved && this.#pressed.distanceTo(new Vector2(event.clientX, event.clientY)) < 4) return;
      dragging.moved = true;
      this.#ray.setFromCamera(this.#at(event), this.#camera);
      const to = this.#ray.ray.intersectPlane(dragging.plane, new Vector3());
      if (to !== null) this.#world.worldToLocal(to);
      if (to !== null) this.#events.drag(dragging.grip, [to.x, to.y, to.z]);
    });
    const end = (event: PointerEvent): void => {
      const dragging = this.#dragging;
      this.#dragging = undefined;
      this.#controls.enabled = true;
      const still = this.#pressed.distanceTo(new Vector2(event.clientX, event.clientY)) < 4;
      if (dragging?.moved) this.#events.drag(null);
      else if (still && event.type === 'pointerup' && event.button === 0)
        this.#events.pick(dragging?.grip ?? null, event.shiftKey, this.#bar(event));
    };
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
    this.#dark.addEventListener('change', () => this.theme());
  }
}
