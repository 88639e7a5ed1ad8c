// A robot from a URDF stands on the ground by its motors, is pushed, and stands again. On disk: readModel(readFileSync(path), path,
// { base: 'floating', files }) reads its meshes, too; "manikin simulate robot.urdf --base floating --ground" does all but the motors.
// prints: It starts 520 mm higher than it stands by itself, out of the ground.
// prints: it stands on 4 feet
// prints: after the push it stands again, 0.7 m to the side or less
import { readModel } from 'manikin/files';
import { addModel, fitStart } from 'manikin/scenes';
import { World } from 'manikin/world';

const inertial = (mass: number, i: number) =>
  `<inertial><mass value="${mass}"/><inertia ixx="${i}" iyy="${i}" izz="${i}" ixy="0" ixz="0" iyz="0"/></inertial>`;
const leg = (name: string, x: number, y: number) => `
  <link name="${name}_thigh">${inertial(0.8, 0.004)}</link>
  <link name="${name}_shank">${inertial(0.3, 0.002)}
    <collision><origin xyz="0 0 -0.25"/><geometry><sphere radius="0.02"/></geometry></collision></link>
  <joint name="${name}_side" type="revolute"><parent link="trunk"/><child link="${name}_hip"/><origin xyz="${x} ${y} 0"/>
    <axis xyz="1 0 0"/><limit lower="-0.6" upper="0.6" effort="30" velocity="20"/></joint>
  <link name="${name}_hip">${inertial(0.5, 0.001)}</link>
  <joint name="${name}_swing" type="revolute"><parent link="${name}_hip"/><child link="${name}_thigh"/><origin xyz="0 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" effort="30" velocity="20"/></joint>
  <joint name="${name}_knee" type="revolute"><parent link="${name}_thigh"/><child link="${name}_shank"/><origin xyz="0 0 -0.25"/>
    <axis xyz="0 1 0"/><limit lower="-2.5" upper="2.5" effort="30" velocity="20"/></joint>`;
const urdf = `<robot name="dog"><link name="trunk">${inertial(8, 0.1)}
  <collision><geometry><box size="0.5 0.25 0.12"/></geometry></collision></link>
  ${leg('lf', 0.22, 0.12)} ${leg('rf', 0.22, -0.12)} ${leg('lh', -0.22, 0.12)} ${leg('rh', -0.22, -0.12)}</robot>`;

const world = new World({ step: 0.002, ground: { friction: 0.9 } });
const { member: dog } = addModel(world, readModel(urdf, 'dog.urdf', { base: 'floating' }));
for (const { message } of fitStart(world, dog)) console.log(message);

for (const { name, type } of dog.state.mechanism.joints) {
  if (type !== 'revolute') continue;
  const position = name.endsWith('swing') ? 0.5 : name.endsWith('knee') ? -1 : 0;
  dog.drive(name, { kind: 'position', position, stiffness: 300, damping: 6, limit: 30 });
}
world.runUntil(1);
const touching = new Set(world.contacts().flatMap(({ b, force }) => (force[2] === 0 ? [] : b.body)));
console.log(`it stands on ${touching.size} feet`);

const before = world.pose(dog, 'trunk').t;
world.runUntil(4, ({ time }) => {
  if (time < 1.1) dog.push('trunk', [0, 60, 0]);
});
const { t } = world.pose(dog, 'trunk');
const moved = Math.hypot(t[0] - before[0], t[1] - before[1]);
const stands = Math.abs(t[2] - before[2]) < 0.02 && world.energy().kinetic < 1e-3;
console.log(stands && moved < 0.7 ? 'after the push it stands again, 0.7 m to the side or less' : `it fell: ${t}`);
