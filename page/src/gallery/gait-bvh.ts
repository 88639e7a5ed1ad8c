// A walking figure made up, as BVH text: feet that stand still on the ground, hips that go ahead evenly, legs
// between them by the geometry of two equal sticks. Centimetres, y up, walking along z.

export interface Gait {
  readonly rate?: number;
  readonly seconds?: number;
  /** Seconds. */
  readonly stride?: number;
  /** Share of the stride for which a foot is down. */
  readonly stance?: number;
  /** Centimetres a second. */
  readonly speed?: number;
  /** On a treadmill the hips stay and the ground goes back. */
  readonly treadmill?: boolean;
  /** Order of the rotation channels. */
  readonly order?: string;
}

const LEG = 42;
const HIP_DROP = 5;
const ANKLE = 7;
const HIP_HEIGHT = 84;

function leg(side: 'Left' | 'Right', channels: string): string {
  const x = side === 'Left' ? 9 : -9;
  return `JOINT ${side}UpLeg { OFFSET ${x} -${HIP_DROP} 0 ${channels}
JOINT ${side}Leg { OFFSET 0 -${LEG} 0 CHANNELS 1 Xrotation
JOINT ${side}Foot { OFFSET 0 -${LEG} 0 CHANNELS 1 Xrotation
JOINT ${side}ToeBase { OFFSET 0 -5 13 CHANNELS 1 Xrotation
End Site { OFFSET 0 0 6 } } } } }`;
}

function arm(side: 'Left' | 'Right', channels: string): string {
  const x = side === 'Left' ? 1 : -1;
  return `JOINT ${side}Arm { OFFSET ${18 * x} -3 0 ${channels}
JOINT ${side}ForeArm { OFFSET ${28 * x} 0 0 ${channels}
JOINT ${side}Hand { OFFSET ${25 * x} 0 0 CHANNELS 2 Yrotation Zrotation
End Site { OFFSET ${18 * x} 0 0 } } } }`;
}

/** Whether a foot is down at a phase of its stride from 0 to 1. */
export function isDown(phase: number, stance: number): boolean {
  return phase < stance;
}

/** Phase of a foot's stride at a time; the left foot lands at 0. */
export function phaseOf(side: 'Left' | 'Right', time: number, stride: number): number {
  const phase = time / stride + (side === 'Left' ? 0 : 0.5);
  return phase - Math.floor(phase);
}

export function gaitBvh(gait: Gait = {}): string {
  const { rate = 100, seconds = 3, stride = 1.1, stance = 0.6, speed = 120, treadmill = false, order = 'ZYX' } = gait;
  const rotations = [...order].map((axis) => `${axis}rotation`).join(' ');
  const channels = `CHANNELS 3 ${rotations}`;
  const frames = Math.round(seconds * rate) + 1;
  const head = `HIERARCHY
ROOT Hips { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition ${rotations}
${leg('Left', channels)}
${leg('Right', channels)}
JOINT Spine { OFFSET 0 15 0 ${channels}
JOINT Chest { OFFSET 0 20 0 ${channels}
JOINT Neck { OFFSET 0 22 0 ${channels}
JOINT Head { OFFSET 0 8 0 ${channels}
End Site { OFFSET 0 18 0 } } }
${arm('Left', channels)}
${arm('Right', channels)} } } }
MOTION
Frames: ${frames}
Frame Time: ${1 / rate}`;
  const three = (x: number, y: number, z: number): number[] =>
    [...order].map((axis) => ({ X: x, Y: y, Z: z })[axis as 'X' | 'Y' | 'Z']);
  const rows = Array.from({ length: frames }, (_, k) => {
    const time = k / rate;
    const swing = Math.sin((2 * Math.PI * time) / stride);
    const hips = [0, HIP_HEIGHT + 1.2 * Math.cos((4 * Math.PI * time) / stride), treadmill ? 0 : speed * time];
    const legs = (['Left', 'Right'] as const).flatMap((side) => {
      const [hip, knee, ankle, toe] = legAngles(side, time, hips[1], stride, stance, speed);
      return [...three(hip, 0, 0), knee, ankle, toe];
    });
    const arms = [1, -1].flatMap((x) => [...three(20 * swing, 0, -75 * x), ...three(0, -25 * x, 0), 0, 0]);
    return [...hips, ...three(0, 2 * swing, 1.5 * swing), ...legs, ...three(3, -2 * swing, 0), ...three(0, 0, 0)]
      .concat(three(0, 0, 0), three(0, swing, 0), arms)
      .map((value) => value.toFixed(6))
      .join(' ');
  });
  return `${head}\n${rows.join('\n')}\n`;
}

/** Degrees about x of hip, knee, ankle and toes. */
function legAngles(
  side: 'Left' | 'Right',
  time: number,
  hipsHeight: number,
  stride: number,
  stance: number,
  speed: number,
): number[] {
  const phase = phaseOf(side, time, stride);
  const length = speed * stride;
  // The ankle ahead of the hips: back at even speed while the foot is down, ahead again in the air.
  const start = (stance * length) / 2;
  const u = (phase - stance) / (1 - stance);
  const ahead = isDown(phase, stance)
    ? start - length * phase
    : start - length * phase + length * (u - Math.sin(2 * Math.PI * u) / (2 * Math.PI));
  const lift = isDown(phase, stance) ? 0 : 9 * Math.sin(Math.PI * u) ** 2;
  const down = hipsHeight - HIP_DROP - ANKLE - lift;
  const distance = Math.hypot(down, ahead);
  const knee = Math.acos(Math.min(1, (distance * distance) / (2 * LEG * LEG) - 1));
  const hip = -(Math.atan2(ahead, down) + knee / 2);
  return [hip, knee, -hip - knee, 0].map((angle) => (angle * 180) / Math.PI);
}
