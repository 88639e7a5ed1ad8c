// The messages of a recording, as JSON Schema. Those named foxglove.* are Foxglove's own, with what is used of them: its 3-D
// panel knows them by name. The others are ours.

type Schema = { readonly [key: string]: unknown };

const number: Schema = { type: 'number' };
const string: Schema = { type: 'string' };
const arrayOf = (items: Schema): Schema => ({ type: 'array', items });
const record = (properties: { readonly [key: string]: Schema }, title?: string): Schema => ({
  ...(title !== undefined && { title }),
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const time = record(
  { sec: { type: 'integer', minimum: 0 }, nsec: { type: 'integer', minimum: 0, maximum: 999999999 } },
  'time',
);
const duration = record(
  { sec: { type: 'integer' }, nsec: { type: 'integer', minimum: 0, maximum: 999999999 } },
  'duration',
);
const vector = record({ x: number, y: number, z: number }, 'foxglove.Vector3');
const point = record({ x: number, y: number, z: number }, 'foxglove.Point3');
const quaternion = record({ x: number, y: number, z: number, w: number }, 'foxglove.Quaternion');
const pose = record({ position: vector, orientation: quaternion }, 'foxglove.Pose');
const color = record({ r: number, g: number, b: number, a: number }, 'foxglove.Color');
const solid = { pose, size: vector, color };
const nothing = arrayOf({ type: 'object' });

const transforms = record(
  {
    transforms: arrayOf(
      record(
        { timestamp: time, parent_frame_id: string, child_frame_id: string, translation: vector, rotation: quaternion },
        'foxglove.FrameTransform',
      ),
    ),
  },
  'foxglove.FrameTransforms',
);

const scene = record(
  {
    deletions: nothing,
    entities: arrayOf(
      record(
        {
          timestamp: time,
          frame_id: string,
          id: string,
          lifetime: duration,
          frame_locked: { type: 'boolean' },
          metadata: nothing,
          arrows: arrayOf(
            record(
              {
                pose,
                shaft_length: number,
                shaft_diameter: number,
                head_length: number,
                head_diameter: number,
                color,
              },
              'foxglove.ArrowPrimitive',
            ),
          ),
          cubes: arrayOf(record(solid, 'foxglove.CubePrimitive')),
          spheres: arrayOf(record(solid, 'foxglove.SpherePrimitive')),
          cylinders: arrayOf(
            record({ ...solid, bottom_scale: number, top_scale: number }, 'foxglove.CylinderPrimitive'),
          ),
          lines: nothing,
          triangles: arrayOf(
            record(
              { pose, points: arrayOf(point), color, colors: arrayOf(color), indices: arrayOf({ type: 'integer' }) },
              'foxglove.TriangleListPrimitive',
            ),
          ),
          texts: nothing,
          models: nothing,
        },
        'foxglove.SceneEntity',
      ),
    ),
  },
  'foxglove.SceneUpdate',
);

const model = record({ timestamp: time, member: string, description: { type: 'object' } }, 'manikin.Model');

const jointStates = record(
  {
    timestamp: time,
    joints: arrayOf(record({ name: string, position: number, velocity: number }, 'foxglove.JointState')),
  },
  'foxglove.JointStates',
);

const joints = record(
  {
    timestamp: time,
    member: string,
    joints: arrayOf(record({ name: string, q: arrayOf(number), v: arrayOf(number) })),
  },
  'manikin.JointStates',
);

const contacts = record(
  {
    timestamp: time,
    contacts: arrayOf(
      record({
        a: string,
        b: string,
        position: vector,
        normal: vector,
        depth: number,
        force: vector,
        mode: { enum: ['open', 'stick', 'slide'] },
      }),
    ),
  },
  'manikin.Contacts',
);

const step = record(
  {
    timestamp: time,
    kinetic: number,
    potential: number,
    residual: number,
    iterations: number,
    contacts: number,
    islands: number,
    depth: number,
  },
  'manikin.Step',
);

/** Topic to schema. */
export const TOPICS = {
  '/model': model,
  '/scene': scene,
  '/tf': transforms,
  '/joint_states': jointStates,
  '/joints': joints,
  '/contact_forces': scene,
  '/contacts': contacts,
  '/step': step,
} as const;

export type Topic = keyof typeof TOPICS;
