import { describe, expect, it } from 'vitest';
import { groupedProblems } from '../../src/mechanism/grouped-problems.js';

const problem = (where: string, message: string, code = 'not-used') => ({ code, where, message });

describe('warnings, one line for each kind', () => {
  it('keeps one as it is', () => {
    expect(groupedProblems([problem('a.urdf:3:4', '<gazebo> in <robot> is not used.')])).toEqual([
      'a.urdf:3:4: <gazebo> in <robot> is not used.',
    ]);
  });

  it('counts those of one kind and says where the first is', () => {
    const many = Array.from({ length: 56 }, (_, k) =>
      problem(`icub.urdf:${21 + k}:17`, '<texture> in <material> is not used.'),
    );
    expect(groupedProblems([...many, problem('icub.urdf:1:1', 'Another.')])).toEqual([
      'icub.urdf: <texture> in <material> is not used (56 times, first at 21:17).',
      'icub.urdf:1:1: Another.',
    ]);
  });

  it('takes names and numbers for the same kind, codes and files for different ones', () => {
    const lines = groupedProblems([
      problem('a.urdf:1:2, body "x"', 'Joint "a" weighs 3.5 kg.'),
      problem('a.urdf:4:2, body "y"', 'Joint "b" weighs -1e-3 kg.'),
      problem('b.urdf:1:1', 'Joint "b" weighs 2 kg.'),
      problem('a.urdf:9:9', 'Joint "c" weighs 2 kg.', 'other'),
    ]);
    expect(lines).toEqual([
      'a.urdf: Joint "a" weighs 3.5 kg (2 times, first at 1:2, body "x").',
      'b.urdf:1:1: Joint "b" weighs 2 kg.',
      'a.urdf:9:9: Joint "c" weighs 2 kg.',
    ]);
  });

  it('adds what a reader has counted already', () => {
    expect(
      groupedProblems([
        problem('a.xml:1:4', '<light> in <body> is not used (and 2 more of the kind).'),
        problem('a.xml:7:4', '<light> in <body> is not used.'),
      ]),
    ).toEqual(['a.xml: <light> in <body> is not used (4 times, first at 1:4).']);
  });
});
