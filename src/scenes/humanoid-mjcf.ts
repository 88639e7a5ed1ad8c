// A humanoid of 21 hinges in MJCF, of our own measures: capsules and balls, motors, exclusions, a keyframe.

/** One leg; y: 1 left, -1 right. */
const leg = (side: string, y: number): string => `
      <body name="${side}_thigh" pos="0 ${0.1 * y} -0.05">
        <joint name="${side}_hip_x" class="big" axis="${y} 0 0" range="-25 20"/>
        <joint name="${side}_hip_z" class="big" axis="0 0 ${y}" range="-40 40"/>
        <joint name="${side}_hip_y" class="big" axis="0 1 0" range="-110 30"/>
        <geom name="${side}_thigh" type="capsule" fromto="0 0 0 0 ${0.01 * -y} -0.38" size="0.065"/>
        <body name="${side}_shank" pos="0 ${0.01 * -y} -0.42">
          <joint name="${side}_knee" axis="0 1 0" range="0 150"/>
          <geom name="${side}_shank" type="capsule" fromto="0 0 0 0 0 -0.34" size="0.05"/>
          <body name="${side}_foot" pos="0 0 -0.41">
            <joint name="${side}_ankle_y" class="small" axis="0 1 0" range="-40 50"/>
            <joint name="${side}_ankle_x" class="small" axis="${y} 0 0" range="-25 25"/>
            <geom name="${side}_foot_outer" type="capsule" fromto="-0.06 ${0.03 * y} -0.02 0.14 ${0.04 * y} -0.02" size="0.028"/>
            <geom name="${side}_foot_inner" type="capsule" fromto="-0.06 ${0.01 * -y} -0.02 0.14 ${0.02 * -y} -0.02" size="0.028"/>
          </body>
        </body>
      </body>`;

const arm = (side: string, y: number): string => `
        <body name="${side}_upper_arm" pos="0 ${0.19 * y} 0.2">
          <joint name="${side}_shoulder_x" axis="${y} 0 0" range="-20 120"/>
          <joint name="${side}_shoulder_y" axis="0 1 0" range="-150 60"/>
          <geom name="${side}_upper_arm" type="capsule" fromto="0 ${0.01 * y} 0 0 ${0.03 * y} -0.26" size="0.04"/>
          <body name="${side}_forearm" pos="0 ${0.03 * y} -0.29">
            <joint name="${side}_elbow" axis="0 1 0" range="-130 0"/>
            <geom name="${side}_forearm" type="capsule" fromto="0 0 0 0 0 -0.22" size="0.033"/>
            <geom name="${side}_hand" type="sphere" pos="0 0 -0.28" size="0.042"/>
          </body>
        </body>`;

const SIDES = [
  ['left', 1],
  ['right', -1],
] as const;

const motor = (joint: string, gear: number): string => `<motor name="${joint}" joint="${joint}" gear="${gear}"/>`;
const both = (joint: string, gear: number): string => SIDES.map(([side]) => motor(`${side}_${joint}`, gear)).join('');

export const HUMANOID = `<mujoco model="humanoid">
  <compiler angle="degree"/>
  <option timestep="0.005"/>
  <default>
    <joint damping="1" armature="0.01" stiffness="2" limited="true"/>
    <geom density="1000" friction="0.8" condim="3"/>
    <motor ctrllimited="true" ctrlrange="-1 1"/>
    <default class="big"><joint damping="4" armature="0.02" stiffness="8"/></default>
    <default class="small"><joint damping="0.8" armature="0.006" stiffness="3"/></default>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="20 20 0.1"/>
    <body name="pelvis" pos="0 0 0.99">
      <freejoint name="root"/>
      <geom name="pelvis" type="capsule" fromto="0 -0.07 0 0 0.07 0" size="0.09"/>
      <body name="torso" pos="0 0 0.13">
        <joint name="waist_z" class="big" axis="0 0 1" range="-45 45"/>
        <joint name="waist_y" class="big" axis="0 1 0" range="-30 75"/>
        <joint name="waist_x" class="big" axis="1 0 0" range="-35 35"/>
        <geom name="belly" type="capsule" fromto="0 -0.05 0.02 0 0.05 0.02" size="0.08"/>
        <geom name="chest" type="capsule" fromto="0 -0.09 0.17 0 0.09 0.17" size="0.085"/>
        <geom name="head" type="sphere" pos="0 0 0.41" size="0.095"/>
        ${SIDES.map(([side, y]) => arm(side, y)).join('')}
      </body>${SIDES.map(([side, y]) => leg(side, y)).join('')}
    </body>
  </worldbody>
  <contact>
    <exclude body1="pelvis" body2="left_thigh"/>
    <exclude body1="pelvis" body2="right_thigh"/>
    <exclude body1="torso" body2="left_upper_arm"/>
    <exclude body1="torso" body2="right_upper_arm"/>
    <exclude body1="left_thigh" body2="right_thigh"/>
  </contact>
  <actuator>
    ${motor('waist_z', 40)}${motor('waist_y', 60)}${motor('waist_x', 60)}
    ${both('hip_x', 60)}${both('hip_z', 40)}${both('hip_y', 120)}${both('knee', 80)}${both('ankle_y', 30)}${both('ankle_x', 20)}
    ${both('shoulder_x', 25)}${both('shoulder_y', 25)}${both('elbow', 20)}
  </actuator>
  <keyframe>
    <key name="crouch" qpos="0 0 0.72 1 0 0 0  0 0.6 0  0.2 -0.3 -1 0.2 -0.3 -1  0 0 -1.3 1.9 -0.8 0  0 0 -1.3 1.9 -0.8 0"/>
  </keyframe>
</mujoco>
`;
