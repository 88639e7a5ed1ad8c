// A captured motion, from BVH text to joint torques: a figure stands on its left leg and swings the right one. The file
// is written here; a real one comes from a camera system.
import { parseBvh } from 'manikin/formats';
import { differentiated, figureFromBvh, inverseOfMotion, smoothed } from 'manikin/motion';

const leg = (
  side: string,
  x: number,
): string => `JOINT ${side}UpLeg { OFFSET ${x} -5 0 CHANNELS 3 Zrotation Yrotation Xrotation
  JOINT ${side}Leg { OFFSET 0 -42 0 CHANNELS 1 Xrotation
  JOINT ${side}Foot { OFFSET 0 -42 0 CHANNELS 1 Xrotation End Site { OFFSET 0 -5 18 } } } }`;
const frames = Array.from({ length: 301 }, (_, k) => {
  const swing = 25 * Math.sin((2 * Math.PI * k) / 100); // degrees, once a second at 100 frames a second
  return ['0 96 0 0 0 0', '0 0 0 0 0', `0 0 ${-30 + swing} 70 0`, '0 0 0', '0 0 0'].join(' ');
});
const text = `HIERARCHY
ROOT Hips { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  ${leg('Left', 9)} ${leg('Right', -9)}
  JOINT Spine { OFFSET 0 15 0 CHANNELS 3 Zrotation Yrotation Xrotation
  JOINT Head { OFFSET 0 42 0 CHANNELS 3 Zrotation Yrotation Xrotation End Site { OFFSET 0 24 0 } } } }
MOTION
Frames: ${frames.length}
Frame Time: 0.01
${frames.join('\n')}`;

// The skeleton becomes a mechanism, with masses from anthropometric tables; the channels become its positions.
const { positions, feet, coordinates, size } = figureFromBvh(parseBvh(text), { scale: 0.01, mass: 75 });
// Positions are smoothed at 6 Hz and differentiated; every frame is computed from the foot that carries the figure.
const motion = differentiated(smoothed(positions, 6));
const { frames: forces } = inverseOfMotion(motion, { feet, height: size.height });

const carried = forces.filter(({ support }) => support === 'left').length;
console.log(`carried by the left foot in ${carried} of ${forces.length} frames`);
const hip = coordinates.indexOf('RightUpLeg_rx');
const largest = Math.max(...forces.slice(30, -30).map(({ tau }) => Math.abs(tau[hip])));
console.log(`largest torque in the right hip: ${largest.toFixed(0)} N m`);

// prints: carried by the left foot in 301 of 301 frames
// prints: largest torque in the right hip: 31 N m
