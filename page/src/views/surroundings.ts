// What is around the figures: ground, grid, light, fog. All of it goes by the size of what is looked at.

import {
  AmbientLight,
  BufferGeometry,
  Color,
  DirectionalLight,
  Float32BufferAttribute,
  Fog,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  PlaneGeometry,
  Scene,
  Vector3,
} from 'three';

/** Metres of a figure for which everything stands as it is written here. */
const FIGURE = 2;
const SUN = new Vector3(3, -4, 8);
const [LIGHT, DARK] = [
  { back: 0xeef2f6, ground: 0xdfe4ea, grid: 0xaab4bf },
  { back: 0x14181d, ground: 0x1d232a, grid: 0x3b4550 },
];

export class Surroundings extends Scene {
  /** Ground and grid, as they lie. */
  readonly floor = new Group();
  readonly #ground = new Mesh(
    new PlaneGeometry(400, 400),
    new MeshStandardMaterial({ color: LIGHT.ground, roughness: 1, metalness: 0 }),
  );
  readonly #grid = grid(20);
  readonly #sun = new DirectionalLight(0xffffff, 2.4);
  readonly #mist = new Fog(LIGHT.back);
  #part = 1;
  #square = 1;

  constructor() {
    super();
    this.background = new Color();
    this.fog = this.#mist;
    this.#sun.castShadow = true;
    this.#sun.shadow.mapSize.set(1024, 1024);
    this.#sun.shadow.bias = -1e-4;
    this.#ground.receiveShadow = true;
    this.floor.add(this.#ground, this.#grid);
    this.add(this.#sun, this.#sun.target, new AmbientLight(0xffffff, 1.1));
    this.fit(FIGURE);
  }

  /** Whether there is a ground; the grid is there in any case. */
  get grounded(): boolean {
    return this.#ground.visible;
  }

  set grounded(there: boolean) {
    this.#ground.visible = there;
  }

  /** Metres of a square of the grid. */
  get square(): number {
    return this.#square;
  }

  /** For a scene of so many metres: squares of a power of ten, some of which the scene covers. */
  fit(size: number): void {
    this.#part = size / FIGURE;
    this.#square = 10 ** Math.floor(Math.log10(size));
    this.floor.children.forEach((part) => {
      part.scale.setScalar(this.#square);
    });
    // A little above the ground, which would hide it.
    this.#grid.position.z = 0.003 * this.#square;
    this.#mist.near = 12 * this.#part;
    this.#mist.far = 40 * this.#part;
    const reach = 4 * this.#part;
    const { shadow } = this.#sun;
    shadow.normalBias = 0.02 * this.#part;
    Object.assign(shadow.camera, {
      left: -reach,
      right: reach,
      top: reach,
      bottom: -reach,
      near: 0.1 * reach,
      far: 8 * reach,
    });
    shadow.camera.updateProjectionMatrix();
  }

  /** Sun, ground and grid are where somebody looks, the ground by whole squares of the grid: nobody sees it move. */
  follow(target: Vector3): void {
    this.floor.updateWorldMatrix(true, false);
    const below = this.floor
      .worldToLocal(target.clone())
      .divideScalar(this.#square)
      .round()
      .multiplyScalar(this.#square);
    for (const { position } of this.floor.children) position.set(below.x, below.y, position.z);
    this.#sun.target.position.copy(target);
    this.#sun.position.copy(target).addScaledVector(SUN, this.#part);
  }

  theme(dark: boolean): void {
    const { back, ground, grid: lines } = dark ? DARK : LIGHT;
    (this.background as Color).set(back);
    this.#mist.color.set(back);
    this.#ground.material.color.set(ground);
    this.#grid.material.color.set(lines);
  }
}

/** Squares of one up to a distance. Lines of one, too: software renderers leave out those that end behind the camera. */
function grid(reach: number): LineSegments<BufferGeometry, LineBasicMaterial> {
  const points: number[] = [];
  for (let a = -reach; a <= reach; a++)
    for (let b = -reach; b < reach; b++) points.push(a, b, 0, a, b + 1, 0, b, a, 0, b + 1, a, 0);
  const geometry = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points, 3));
  return new LineSegments(geometry, new LineBasicMaterial());
}
