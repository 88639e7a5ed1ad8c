// An arrow with a shaft that is seen: lines are one pixel wide, however large the picture is.

import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Vector3 } from 'three';

/** Along y, of one metre, from where they begin; all arrows share them. */
const SHAFT = new CylinderGeometry(0.5, 0.5, 1, 8, 1).translate(0, 0.5, 0);
const TIP = new ConeGeometry(0.5, 1, 12, 1).translate(0, 0.5, 0);
/** Of the width of the tip. */
const THIN = 0.22;
const Y = new Vector3(0, 1, 0);

export class Arrow extends Group {
  readonly #material = new MeshBasicMaterial();
  readonly shaft = new Mesh(SHAFT, this.#material);
  readonly tip = new Mesh(TIP, this.#material);

  constructor() {
    super();
    // Bodies do not hide it.
    this.#material.depthTest = false;
    for (const part of [this.shaft, this.tip]) part.renderOrder = 1;
    this.add(this.shaft, this.tip);
  }

  /** Along a unit vector; `length` is that of shaft and tip together. */
  point(way: Vector3, length: number, tip: number, width: number, colour: number): void {
    this.quaternion.setFromUnitVectors(Y, way);
    this.shaft.scale.set(THIN * width, length - tip, THIN * width);
    this.tip.scale.set(width, tip, width);
    this.tip.position.y = length - tip;
    this.#material.color.set(colour);
  }

  discard(): void {
    this.#material.dispose();
  }
}
