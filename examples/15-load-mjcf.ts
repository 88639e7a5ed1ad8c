// A model of MuJoCo's: the mechanism, and what else its file says. On disk: readModel of manikin/files, with `files` to say
// where meshes and included files are.
import { ActuatorForces, dynamics } from 'manikin';
import { parseMjcf } from 'manikin/formats';

const { mechanism, actuators, tendons, keyframes } = parseMjcf(
  `<mujoco model="leg">
    <default><joint axis="0 1 0" damping="0.5"/><geom type="capsule" density="900"/></default>
    <worldbody>
      <body name="thigh" pos="0 0 1">
        <joint name="hip" range="-60 60"/>
        <geom fromto="0 0 0 0 0 -0.4" size="0.06"/>
        <body name="shank" pos="0 0 -0.4">
          <joint name="knee" range="0 140"/>
          <geom fromto="0 0 0 0 0 -0.4" size="0.045"/>
        </body>
      </body>
    </worldbody>
    <actuator><motor name="hip_motor" joint="hip" gear="40" ctrlrange="-1 1"/></actuator>
    <keyframe><key name="bent" qpos="0.5 1"/></keyframe>
  </mujoco>`,
  { file: 'leg.xml' },
);
const bent = keyframes.find(({ name }) => name === 'bent');
if (bent === undefined) throw new Error('the file has no keyframe "bent"');
const { state } = bent;
const tau = new ActuatorForces(mechanism, actuators, tendons).add(state, { controls: [0.5] });
const [torque] = tau.subarray(...mechanism.joint('hip').v);
const [hip, knee] = dynamics(mechanism).forward(state, tau);
console.log(`thigh ${mechanism.body('thigh').mass.toFixed(3)} kg, hip ${torque} N m`);
console.log(`hip ${hip.toFixed(3)} rad/s^2, knee ${knee.toFixed(3)} rad/s^2`);
// prints: thigh 4.886 kg, hip 20 N m
// prints: hip 22.610 rad/s^2, knee -72.996 rad/s^2
