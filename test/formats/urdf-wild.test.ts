// URDF as people write it: links without mass at the ends, templates in place of robots.

import { describe, expect, it } from 'vitest';
import { readModel } from '../../src/files/read-model.js';
import { parseUrdf } from '../../src/formats/urdf.js';
import { ImportError } from '../../src/mechanism/errors.js';

const joint = (name: string, parent: string, child: string, more = ''): string =>
  `<joint name="${name}" type="continuous"><parent link="${parent}"/><child link="${child}"/>${more}</joint>`;
const heavy = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>';
const hand = `<robot name="r"><link name="arm">${heavy}</link><link name="palm">${heavy}</link>
<link name="f1"/><link name="f2"/><link name="tip">${heavy}</link>
${joint('wrist', 'arm', 'palm')}
${joint('finger', 'palm', 'f1')}
${joint('follows', 'f1', 'f2', '<mimic joint="finger"/>')}
${joint('far', 'palm', 'tip')}
</robot>`;

describe('massless links that move', () => {
  it('load with a warning, their joints locked', () => {
    const mechanism = parseUrdf(hand, { file: 'hand.urdf' });
    expect(mechanism.joints.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'root_joint fixed',
      'wrist continuous',
      'finger fixed',
      'follows fixed',
      'far continuous',
    ]);
    expect(mechanism.couplings).toEqual([]);
    const warnings = mechanism.warnings.filter(({ code }) => code === 'massless-leaf');
    expect(warnings.map(({ where }) => where)).toEqual(['hand.urdf:4:1', 'hand.urdf:5:1']);
    expect(warnings[0].message).toBe('The joint "finger" is locked: neither body "f1" nor what it carries has mass.');
  });

  it('are refused where that is asked for', () => {
    expect(() => parseUrdf(hand, { massless: 'error' })).toThrow(/neither it nor what it carries has mass/);
  });
});

describe('xacro', () => {
  it.each([
    '<robot xmlns:xacro="x" name="r"><xacro:macro name="m" params="a"/></robot>',
    '<robot name="r"><link name="$' + '{prefix}arm"/></robot>',
  ])('is recognised and named: %s', (text) => {
    expect(() => parseUrdf(text, { file: 'r.urdf' })).toThrow(ImportError);
    expect(() => parseUrdf(text, { file: 'r.urdf' })).toThrow(/This is a xacro file/);
  });

  it('a name space that is left over is not one, whatever the name of the file', () => {
    const finished = `<robot xmlns:xacro="x" name="r"><link name="a">${heavy}</link></robot>`;
    expect(readModel(finished, 'r.urdf.xacro').mechanism.bodies).toHaveLength(1);
    expect(() => readModel('<robot name="r"><xacro:a/></robot>', 'r.xacro')).toThrow(/^r.xacro:1:1: This is a xacro/);
    expect(parseUrdf(`<robot xmlns:xacro="x" name="r"><link name="a">${heavy}</link></robot>`).bodies).toHaveLength(1);
  });
});
