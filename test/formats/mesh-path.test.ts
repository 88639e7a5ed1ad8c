import { describe, expect, it } from 'vitest';
import { resolveMeshPath } from '../../src/formats/mesh-path.js';

const packages = new Map([
  ['arm', '/opt/arm'],
  ['leg', 'models/leg/'],
  ['here', ''],
]);

describe('mesh paths', () => {
  it.each([
    ['meshes/a.stl', 'meshes/a.stl'],
    ['./meshes//./a.stl', 'meshes/a.stl'],
    ['meshes/../a.stl', 'a.stl'],
    ['my%20mesh.stl', 'my%20mesh.stl'],
    ['package://arm/a.stl', '/opt/arm/a.stl'],
    ['package://arm/b/../a.stl', '/opt/arm/a.stl'],
    ['package://leg/a.stl', 'models/leg/a.stl'],
    ['package://here/a.stl', 'a.stl'],
    ['/opt/arm/b/a.stl', '/opt/arm/b/a.stl'],
  ])('%s becomes %s', (written, path) => {
    expect(resolveMeshPath(written, packages)).toEqual({ kind: 'resolved', path });
  });

  it.each([
    ['package://body/m/a.stl', 'package://body/m/a.stl', 'body'],
    ['package://body/m/../a.stl', 'package://body/a.stl', 'body'],
    ['package:///a.stl', 'package:///a.stl', ''],
    ['package://constructor/a.stl', 'package://constructor/a.stl', 'constructor'],
  ])('%s stays a name', (written, path, name) => {
    expect(resolveMeshPath(written, packages)).toEqual({ kind: 'symbolic', path, package: name });
  });

  it.each([
    '',
    '.',
    '..',
    '../a.stl',
    'a/../../b.stl',
    '/etc/passwd',
    '/opt/arm',
    '/opt/arm/../../etc/passwd',
    '/opt/army/a.stl',
    '//server/share',
    'C:/a.stl',
    'C:\\a.stl',
    'a\\..\\..\\b.stl',
    'a\u0000.stl',
    'a\nb.stl',
    '%2e%2e/a.stl',
    'a/.%2E/b.stl',
    '..%2fa.stl',
    '..%5Ca.stl',
    'file:///etc/passwd',
    'http://host/a.stl',
    'javascript:alert(1)',
    'package://arm',
    'package://arm/',
    'package://arm/../../etc/passwd',
    'package://../etc/passwd',
    'package:///../a.stl',
    'package://%2e%2e/a.stl',
    'PACKAGE://arm/a.stl',
  ])('%j is refused', (written) => {
    expect(resolveMeshPath(written, packages).kind).toBe('refused');
  });
});
