// A robot from URDF text. Whatever the importer does not use, it says.
import { dynamics, State } from 'manikin';
import { parseUrdf } from 'manikin/formats';

const arm = parseUrdf(
  `<robot name="arm">
    <link name="base"/>
    <link name="upper"><inertial><origin xyz="0 0 -0.25"/><mass value="2"/><inertia ixx="0.04" ixy="0" ixz="0" iyy="0.04" iyz="0" izz="0.002"/></inertial></link>
    <link name="lower"><inertial><origin xyz="0 0 -0.2"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.001"/></inertial></link>
    <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
    <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 -0.5"/><axis xyz="0 1 0"/>
      <limit lower="0" upper="2.5" effort="50" velocity="3"/><safety_controller k_velocity="10"/></joint>
  </robot>`,
  { file: 'arm.urdf' },
);
for (const { where, message } of arm.warnings) console.log(`${where}: ${message}`);

const state = new State(arm).set('shoulder', 1).set('elbow', 0.5, 2);
const [shoulder, elbow] = dynamics(arm).forward(state);
console.log(`shoulder ${shoulder.toFixed(3)} rad/s^2, elbow ${elbow.toFixed(3)} rad/s^2`);
// prints: arm.urdf:7:62: <safety_controller> in <joint> is not used.
// prints: shoulder -17.734 rad/s^2, elbow 9.719 rad/s^2
