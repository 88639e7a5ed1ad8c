// Input that must be refused: one clear error each, never a hang, another exception or a silent default.

import { describe, expect, it } from 'vitest';
import { parseUrdf } from '../../src/formats/urdf.js';
import { ImportError } from '../../src/mechanism/errors.js';
import { expectProperRefusal, importProblems } from './support.js';

const MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>';
const link = (name: string): string => `<link name="${name}">${MASS}</link>`;
const joint = (name: string, parent: string, child: string, more = ''): string =>
  `<joint name="${name}" type="continuous"><parent link="${parent}"/><child link="${child}"/>${more}</joint>`;

/** Lines of a robot, from the second line of the file on. */
const robot = (...lines: string[]): string => `<robot name="r">\n${lines.join('\n')}\n</robot>`;

/** All problems as `line:column code message`. */
function problemsOf(text: string): string[] {
  const problems = importProblems(() => parseUrdf(text, { file: 'r.urdf', massless: 'error' }));
  expectProperRefusal(new ImportError(problems));
  return problems.map(({ where, code, message }) => `${where.replace(/^r\.urdf:/, '')} ${code} ${message}`);
}

describe('a file that is not one', () => {
  it('a truncated URDF', () => {
    const whole = robot(link('a'), link('b'), joint('j', 'a', 'b'));
    expect(problemsOf(whole.slice(0, -9))).toEqual([
      '4:78 xml This is not well-formed XML: Missing end tag for element robot.',
    ]);
    expect(problemsOf(whole.slice(0, 150))).toEqual(['3:39 xml This is not well-formed XML: Unclosed attribute.']);
  });

  it('cut anywhere, it is refused with a place', () => {
    const whole = robot(link('a'), link('b'), joint('j', 'a', 'b'));
    for (let length = 0; length < whole.length; length++) {
      const problems = importProblems(() => parseUrdf(whole.slice(0, length), { file: 'r.urdf' }));
      expect(problems).toHaveLength(1);
      expect(problems[0].where).toMatch(/^r\.urdf:\d+:\d+$/);
    }
  });

  it('an entity bomb', () => {
    const entities = Array.from({ length: 9 }, (_, k) => `<!ENTITY l${k + 1} "${`&l${k};`.repeat(10)}">`);
    const bomb = `<?xml version="1.0"?>\n<!DOCTYPE robot [<!ENTITY l0 "lol">${entities.join('')}]>\n<robot name="&l9;"/>`;
    expect(problemsOf(bomb)).toEqual([
      '2:1 xml-doctype Document type and entity declarations are not read; remove them from the file.',
    ]);
  });

  it('100 000 nested elements', () => {
    const nested = '<a>'.repeat(100_000);
    const message = 'Elements are nested more than 256 deep here.';
    expect(problemsOf(nested)).toEqual([`1:769 xml-depth ${message}`]);
    expect(problemsOf(nested + '</a>'.repeat(100_000))).toEqual([`1:769 xml-depth ${message}`]);
    expect(problemsOf(`<robot name="r"><link name="a">${nested}`)).toEqual([`1:794 xml-depth ${message}`]);
  });

  it('a 200 MB file, refused by size', () => {
    // Nothing of that size comes to be: the engine repeats a short string by reference.
    const problems = importProblems(() => parseUrdf(' '.repeat(200_000_000), { file: 'big.urdf' }));
    expect(problems).toEqual([
      {
        code: 'too-large',
        where: 'big.urdf',
        message: 'The input has 200000000 bytes (190.7 MiB); at most 64 MiB are read.',
      },
    ]);
  });

  it.each([
    ['something else in XML', '<mujoco/>', '1:1 not-urdf A URDF file is a <robot>, this one is a <mujoco>.'],
    ['an empty robot', '<robot name="r"/>', 'r.urdf empty The robot has no links; a mechanism needs at least one.'],
    ['no XML at all', 'solid cube', '1:1 xml This is not well-formed XML: Root element is missing or invalid.'],
  ])('%s', (_, text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });
});

describe('names', () => {
  it('two links of one name', () => {
    expect(problemsOf(robot(link('a'), link('b'), link('a'), joint('j', 'a', 'b')))).toEqual([
      '4:1 duplicate-name The link "a" is already defined at r.urdf:2:1.',
    ]);
  });

  it('two joints of one name', () => {
    const text = robot(link('a'), link('b'), link('c'), joint('j', 'a', 'b'), joint('j', 'b', 'c'));
    expect(problemsOf(text)).toEqual(['6:1 duplicate-name The joint "j" is already defined at r.urdf:5:1.']);
  });

  it('a link without a name, and names that garble the terminal', () => {
    expect(problemsOf(robot('<link/>', '<link name=""/>', '<link name="a&#10;b"/>'))).toEqual([
      '2:1 missing-attribute <link> needs the attribute name.',
      '3:7 name Attribute name of <link>: expected a name, got an empty text.',
      '4:7 name Attribute name of <link>: expected a name without control characters, got "a\\nb".',
    ]);
  });

  it('a robot whose name garbles the terminal', () => {
    expect(problemsOf('<robot name="a&#x9b;b"><link name="a"/></robot>')).toEqual([
      '1:8 name Attribute name of <robot>: expected a name without control characters, got "a\\u009bb".',
    ]);
  });

  it('"__proto__" and its like are names as good as others', () => {
    const odd = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const joints = odd.slice(1).map((name, k) => joint(name, odd[k], name));
    const { bodies } = parseUrdf(robot(...odd.map(link), ...joints));
    expect(bodies.map(({ name }) => name)).toEqual(odd);
  });
});

describe('the tree', () => {
  it('a cycle', () => {
    const joints = [joint('j', 'a', 'b'), joint('k', 'b', 'c'), joint('l', 'c', 'a')];
    expect(problemsOf(robot(link('a'), link('b'), link('c'), ...joints))).toEqual([
      `7:1 cycle These links are one another's parents, in a circle: "a", "c", "b".`,
    ]);
  });

  it('a cycle beside a tree', () => {
    const joints = [joint('j', 'a', 'b'), joint('k', 'b', 'a')];
    expect(problemsOf(robot(link('root'), link('a'), link('b'), ...joints))).toEqual([
      `6:1 cycle These links are one another's parents, in a circle: "a", "b".`,
    ]);
  });

  it('a joint from a link to itself', () => {
    expect(problemsOf(robot(link('a'), joint('j', 'a', 'a')))).toEqual([
      '3:1 cycle Joint "j" connects the link "a" with itself.',
    ]);
  });

  it('several roots', () => {
    expect(problemsOf(robot(link('a'), link('b'), link('c'), joint('j', 'a', 'b')))).toEqual([
      '4:1 several-roots A robot is one tree, but 2 links have no parent: "a", "c".',
    ]);
  });

  it('a link that is the child of two joints', () => {
    const text = robot(link('a'), link('b'), link('c'), joint('j', 'a', 'c'), joint('k', 'b', 'c'));
    expect(problemsOf(text)).toEqual([
      '6:1 two-parents The link "c" is the child of joint "k" and already that of "j".',
    ]);
  });

  it('unknown parents and children', () => {
    expect(problemsOf(robot(link('a'), joint('j', 'a', 'b'), joint('k', 'c', 'a')))).toEqual([
      '3:1 unknown-child The child of joint "j", "b", is not a link of this file. There are: a.',
      '4:1 unknown-parent The parent of joint "k", "c", is not a link of this file. There are: a.',
    ]);
  });

  it('a joint without its ends, or of no known type', () => {
    expect(problemsOf(robot(link('a'), '<joint name="j" type="hinge"><child/></joint>'))).toEqual([
      '3:17 unknown-joint-type Attribute type of <joint>: expected one of revolute, continuous, prismatic, fixed, floating, planar, spherical, got "hinge".',
      '3:1 missing-element <joint> needs a <parent> in it.',
      '3:30 missing-attribute <child> needs the attribute link.',
    ]);
  });

  it('a moving leaf without mass', () => {
    expect(problemsOf(robot(link('a'), '<link name="b"/>', joint('j', 'a', 'b')))).toEqual([
      '3:1, body "b" massless-leaf It moves by joint "j" but neither it nor what it carries has mass. Give it mass, or fix the joint.',
    ]);
  });
});

describe('numbers', () => {
  const withMass = (value: string): string =>
    robot(`<link name="a"><inertial><mass value="${value}"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>`);

  it('NaN in a number', () => {
    expect(problemsOf(withMass('NaN'))).toEqual([
      '2:32 number Attribute value of <mass>: expected a finite number, got "NaN".',
    ]);
  });

  it.each(['Infinity', '-inf', '0x10', '', '1,5', '1 2', '1e400', 'one', '$(mass)'])('"%s" for a number', (value) => {
    expect(problemsOf(withMass(value))).toEqual([
      `2:32 number Attribute value of <mass>: expected a finite number, got "${value}".`,
    ]);
  });

  it('a negative mass', () => {
    expect(problemsOf(withMass('-1'))).toEqual([
      '2:32 negative-mass Attribute value of <mass>: expected a mass not below zero, got -1.',
    ]);
  });

  it('too few numbers, and a zero axis', () => {
    const more = '<origin xyz="1 2" rpy="0 0 0 0"/><axis xyz="0 0 0"/><limit lower="2" upper="1"/>';
    const turning = joint('j', 'a', 'b', more).replace('continuous', 'revolute');
    expect(problemsOf(robot(link('a'), link('b'), turning)).map((problem) => problem.replace(/^\S+ /, ''))).toEqual([
      'number Attribute xyz of <origin>: expected 3 finite numbers, got "1 2".',
      'number Attribute rpy of <origin>: expected 3 finite numbers, got "0 0 0 0".',
      'zero-axis Attribute xyz of <axis>: expected an axis that is not zero.',
      'limits The lower limit 2 is above the upper limit 1.',
    ]);
  });

  it('an <inertial> without its parts', () => {
    expect(problemsOf(robot('<link name="a"><inertial><inertia ixx="1"/></inertial></link>'))).toEqual([
      '2:16 missing-element <inertial> needs a <mass> in it.',
      '2:26 missing-attribute <inertia> needs the attribute iyy.',
      '2:26 missing-attribute <inertia> needs the attribute izz.',
    ]);
  });

  it('numbers that overflow on the way', () => {
    const huge =
      '<inertial><mass value="1"/><origin rpy="1 1 1"/><inertia ixx="1e308" iyy="1e308" izz="1e308" ixy="1e308"/></inertial>';
    expect(problemsOf(robot(`<link name="a">${huge}</link>`))).toEqual([
      '2:1, body "a" not-finite The inertia must be finite numbers, got Infinity.',
    ]);
  });

  it('negative damping and sizes', () => {
    const box = '<visual><geometry><box size="1 -1 1"/></geometry></visual>';
    expect(
      problemsOf(
        robot(`<link name="a">${MASS}${box}</link>`, link('b'), joint('j', 'a', 'b', '<dynamics damping="-1"/>')),
      ),
    ).toEqual([
      '2:111 negative Attribute size of <box>: expected numbers not below zero, got 1 -1 1.',
      '4:80 negative Attribute damping of <dynamics>: expected a number not below zero, got -1.',
    ]);
  });
});

describe('mimic', () => {
  const chain = (first: string, second: string): string =>
    robot(link('a'), link('b'), link('c'), joint('j', 'a', 'b', first), joint('k', 'b', 'c', second));

  it('of a joint that is not there, and of itself', () => {
    expect(problemsOf(chain('<mimic joint="x"/>', '<mimic joint="k"/>'))).toEqual([
      '5:70 mimic Joint "j" mimics "x", which is not a joint of this file.',
      '6:70 mimic Joint "k" cannot mimic itself.',
    ]);
  });

  it('in a circle', () => {
    const problems = problemsOf(chain('<mimic joint="k"/>', '<mimic joint="j"/>'));
    expect(problems[0]).toBe('5:1, joint "j" coupling-cycle The joint follows itself.');
  });

  it('of a fixed joint, and of a joint with more than one degree of freedom', () => {
    const mimic = '<mimic joint="j"/>';
    expect(problemsOf(chain('', mimic).replace('continuous', 'fixed'))).toEqual([
      '6:70 mimic Joint "k" mimics "j", which is fixed and never moves.',
    ]);
    expect(problemsOf(chain('', mimic).replace('continuous', 'planar'))).toEqual([
      '6:70, coupling of joint "k" coupling Joint "j" must have one degree of freedom to be coupled.',
    ]);
  });
});

describe('mesh paths', () => {
  const withMesh = (path: string): string =>
    robot(`<link name="a"><visual><geometry><mesh filename="${path}"/></geometry></visual></link>`);

  it('with .. that leaves the folder', () => {
    expect(problemsOf(withMesh('../../etc/passwd'))).toEqual([
      '2:40 mesh-path Attribute filename of <mesh>: expected a path that does not leave its folder by "..", got "../../etc/passwd".',
    ]);
  });

  it.each([
    ['package://arm/../../x.stl', 'a path that does not leave its folder by ".."'],
    ['/etc/passwd', 'a path relative to the file or within the folder of a package'],
    ['file:///etc/passwd', 'a relative path or package://name/path'],
    ['a\\b.stl', 'a path without backslashes and control characters'],
    ['%2e%2E/x.stl', 'a path without encoded dots and slashes'],
  ])('like %s', (path, expected) => {
    const [problem] = problemsOf(withMesh(path));
    expect(problem).toMatch(/^2:40 mesh-path /);
    expect(problem).toContain(`expected ${expected}, got `);
  });
});

it('reports every problem of a file at once', () => {
  const problems = problemsOf(
    robot(
      '<link name="a"><inertial><mass value="x"/><inertia ixx="1" iyy="nan" izz="1"/></inertial></link>',
      link('a'),
      joint('j', 'a', 'nowhere', '<axis xyz="0 0"/><mimic joint="j"/>'),
      '<link/>',
    ),
  );
  expect(problems.map((problem) => problem.split(' ').slice(0, 2).join(' '))).toEqual([
    '2:32 number',
    '2:60 number',
    '5:1 missing-attribute',
    '4:82 number',
    '4:93 mimic',
    '3:1 duplicate-name',
    '4:1 unknown-child',
  ]);
});
