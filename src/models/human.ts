// Human figures from the skeleton: welds what does not move apart, and puts hinges in a row where a joint needs several.

import { MechanismBuilder } from '../mechanism/builder.js';
import { MechanismError } from '../mechanism/errors.js';
import type { JointLimits, Mechanism, Shape } from '../mechanism/mechanism.js';
import { subtract, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import { type BodySize, checkedSize, REFERENCE_SIZE } from './anthropometry.js';
import { type Axis, FIGURES, type FigureChoice, type FigureName, HINGE_LIMITS, type JointChoice } from './figures.js';
import { carve, type MassProperties, solidSphere, weld } from './mass-properties.js';
import { sphere } from './shapes.js';
import { skeleton } from './skeleton.js';
import type { StandingSegment } from './standing.js';
import { contactShapes } from './touch.js';

/** The bodies between two hinges of one joint: each a solid sphere with this share of the mass that the joint carries. */
const KNUCKLE = { share: 0.02, radius: 0.03, color: [0.3, 0.3, 0.3, 1] } as const;

/**
 * A standing figure: soles at z = 0 in its neutral state, arms hanging, palms to the thighs, x forward, y left, z up.
 * Size: stature in metres, mass in kilograms.
 */
export function human(name: FigureName, size: Partial<BodySize> = {}): Mechanism {
  const checked = checkedSize(size);
  const figure: FigureChoice | undefined = FIGURES[name];
  if (figure === undefined)
    throw MechanismError.of(
      'unknown-figure',
      '',
      `There is no human figure "${name}", only ${Object.keys(FIGURES).join(', ')}.`,
    );
  const knuckleRadius = (KNUCKLE.radius * checked.height) / REFERENCE_SIZE.height;
  const builder = new MechanismBuilder(name);
  for (const group of groups(figure, skeleton(checked))) addBody(builder, group, knuckleRadius);
  return builder.build();
}

/** Segments that make one body, and the joint that carries it. */
interface Group {
  readonly name: string;
  readonly parent: Group | null;
  readonly choice: JointChoice;
  /** The one with the joint comes first. */
  readonly segments: StandingSegment[];
}

/** One for each segment that has a joint in the figure; the others go to the body of their parent. The root floats. */
function groups(figure: FigureChoice, segments: readonly StandingSegment[]): Group[] {
  const found: Group[] = [];
  const groupOf = new Map<string, Group>();
  for (const segment of segments) {
    const { key, side } = segment;
    const parent = segment.parent === null ? null : groupOf.get(segment.parent)!;
    const choice = parent === null ? 'floating' : (figure.joints[key] ?? figure.others);
    let group = parent!;
    if (choice === undefined) group.segments.push(segment);
    else {
      group = { name: side + (figure.names?.[key] ?? key), parent, choice, segments: [segment] };
      found.push(group);
    }
    groupOf.set(side + key, group);
  }
  return found;
}

function addBody(builder: MechanismBuilder, group: Group, knuckleRadius: number): void {
  const { name, parent, choice, segments } = group;
  const { at, side, joint } = segments[0];
  const jointName = side + joint;
  const whole = weld(segments.map((segment) => massIn(at, segment.body)));
  const visuals = segments.flatMap((segment) => segment.shapes.map((shape) => shapeIn(at, shape)));
  const collisions = contactShapes(segments).map((shape) => shapeIn(at, shape));
  const offset = parent === null ? at : subtract(at, parent.segments[0].at);
  const parentName = parent?.name ?? null;
  if (choice === 'floating' || choice === 'spherical') {
    const floatingOrBall = { type: choice, name: jointName } as const;
    builder.link(name, { parent: parentName, joint: floatingOrBall, at: offset, ...whole, visuals, collisions });
    return;
  }
  const axes = [...choice] as Axis[];
  const knuckle = solidSphere(KNUCKLE.share * whole.mass, ZERO3, knuckleRadius);
  const rest = carve(whole, new Array<MassProperties>(axes.length - 1).fill(knuckle));
  axes.forEach((axis, i) => {
    const last = i === axes.length - 1;
    builder.link(last ? name : `${name}_${axis}`, {
      parent: i === 0 ? parentName : `${name}_${axes[i - 1]}`,
      joint: {
        type: 'revolute',
        name: axes.length === 1 ? jointName : `${jointName}_${axis}`,
        axis: axisVector(axis, side),
        limits: limits(joint, axis),
      },
      at: i === 0 ? offset : ZERO3,
      ...(last ? rest : knuckle),
      ...(last && { collisions }),
      visuals: last ? visuals : [sphere(ZERO3, knuckleRadius, KNUCKLE.color)],
    });
  });
}

/** On the right the axis is the mirror image of the left one, so that equal angles make mirror images of the limbs. */
function axisVector(axis: Axis, side: StandingSegment['side']): Vec3 {
  const sign = side === 'right_' && axis !== 'y' ? -1 : 1;
  return [axis === 'x' ? sign : 0, axis === 'y' ? sign : 0, axis === 'z' ? sign : 0];
}

function limits(joint: string, axis: Axis): JointLimits {
  const range = HINGE_LIMITS[joint]?.[axis];
  if (range === undefined) return {};
  const [lower, upper] = range.map((degrees) => (degrees * Math.PI) / 180);
  return { lower, upper };
}

/** From standing coordinates to those of the body whose origin is there. */
function massIn(origin: Vec3, body: MassProperties): MassProperties {
  return { ...body, com: subtract(body.com, origin) };
}

function shapeIn(origin: Vec3, shape: Shape): Shape {
  return { ...shape, t: subtract(shape.t, origin) };
}
