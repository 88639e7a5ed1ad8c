// What the bodies of a figure touch with: few shapes, and none that touch while it stands.

import type { Shape } from '../mechanism/mechanism.js';
import { IDENTITY3, type Vec3 } from '../spatial/matrix3.js';
import type { StandingSegment } from './standing.js';

/** Segments that are covered by others, always or where they are welded to them. */
const INNER = /^(?:jaw|clavicle|cervical|thumb)/;
const COVERED = /^(?:index|middle|ring|little)/;

/**
 * The shapes of one body, whose first segment has the joint. Boxes of several segments (the levels of the trunk, foot and toes) make
 * one; of the rest each segment has its own, unless another one covers it.
 */
export function contactShapes(segments: readonly StandingSegment[]): Shape[] {
  const own = segments.filter(({ key }) => !INNER.test(key));
  const outer = own.filter(({ key }) => !COVERED.test(key));
  const shapes = (outer.length > 0 ? outer : own.slice(0, 1)).flatMap((segment) => segment.shapes);
  const boxes = shapes.filter(({ geometry }) => geometry.kind === 'box');
  const others = shapes.filter(({ geometry }) => geometry.kind !== 'box');
  return [...(boxes.length > 0 ? [boxAround(boxes)] : []), ...others].map(({ E, t, geometry }) => ({ E, t, geometry }));
}

/** The box that holds boxes along the axes. */
function boxAround(boxes: readonly Shape[]): Shape {
  const low: [number, number, number] = [0, 0, 0];
  const size: [number, number, number] = [0, 0, 0];
  for (let k = 0; k < 3; k++) {
    const ends = boxes.map(({ t, geometry }) => {
      const half = (geometry as { readonly size: Vec3 }).size[k] / 2;
      return [t[k] - half, t[k] + half];
    });
    low[k] = Math.min(...ends.map(([from]) => from));
    size[k] = Math.max(...ends.map(([, to]) => to)) - low[k];
  }
  const t: Vec3 = [low[0] + size[0] / 2, low[1] + size[1] / 2, low[2] + size[2] / 2];
  return { E: IDENTITY3, t, geometry: { kind: 'box', size } };
}
