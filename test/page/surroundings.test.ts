import { Vector3 } from 'three';
import { expect, it } from 'vitest';
import { Surroundings } from '../../page/src/views/surroundings.js';

it.each([
  ['level', 0],
  ['tilted', 0.3],
])('ground and grid are below what is looked at, however far away, by whole squares of the grid: %s', (_, tilt) => {
  const scene = new Surroundings();
  scene.fit(30);
  expect(scene.square).toBe(10);
  scene.floor.rotation.x = tilt;
  const seen = new Vector3(1234, -567, 3);
  scene.follow(seen);
  for (const part of scene.floor.children) {
    const { x, y } = part.position;
    for (const place of [x, y]) expect(Math.abs(place / 10 - Math.round(place / 10))).toBeLessThan(1e-9);
    const local = scene.floor.worldToLocal(seen.clone());
    expect(Math.hypot(local.x - x, local.y - y)).toBeLessThan(8);
  }
});
