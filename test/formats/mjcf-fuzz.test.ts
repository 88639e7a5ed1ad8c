// Damaged MJCF files and meshes: a model or a proper refusal, soon, and nothing else.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMesh } from '../../src/formats/mesh.js';
import { parseMjcf } from '../../src/formats/mjcf.js';
import { ImportError } from '../../src/mechanism/errors.js';
import { Mechanism } from '../../src/mechanism/mechanism.js';
import { generateMjcf, MJCF_FEATURES } from '../support/mjcf-generator.js';
import { modelFiles } from '../support/mujoco-mjcf.js';
import { mutate, mutations } from './mutation.js';
import { expectProperRefusal } from './support.js';

const RUNS = Number(process.env.MANIKIN_FUZZ_RUNS ?? 60);
const LIMIT = { timeout: 30_000 + RUNS * 400 };

describe('MJCF, damaged', () => {
  it.each([1, 2, 3, 4])('generated file %i loads or is refused', LIMIT, (seed) => {
    const features = MJCF_FEATURES.filter((_, k) => (k + seed) % 4 === 0);
    const { text, files } = generateMjcf(features, seed);
    const tally = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(mutations, (list) => {
        try {
          const { mechanism } = parseMjcf(mutate(text, list), { file: 'm.xml', files: modelFiles(files) });
          expect(mechanism).toBeInstanceOf(Mechanism);
          for (const { where, message } of mechanism.warnings) expect(`${where} ${message}`).not.toMatch(/[\n\r]/);
          tally.accepted++;
        } catch (error) {
          expectProperRefusal(error);
          tally.refused++;
        }
      }),
      { numRuns: RUNS },
    );
    expect(tally.refused).toBeGreaterThan(0);
  });

  it('included files that are damaged', LIMIT, () => {
    const { text, files } = generateMjcf(['include', 'attach', 'mesh-files', 'shapes'], 5);
    fc.assert(
      fc.property(mutations, fc.constantFrom(...files.keys()), (list, name) => {
        const damaged = new Map(files);
        const source = Buffer.from(files.get(name)!).toString('latin1');
        damaged.set(name, new Uint8Array(Buffer.from(mutate(source, list), 'latin1')));
        try {
          parseMjcf(text, { file: 'm.xml', files: modelFiles(damaged) });
        } catch (error) {
          expectProperRefusal(error);
        }
      }),
      { numRuns: RUNS },
    );
  });

  const mesh = (end: string): Uint8Array => {
    const corners = [
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    const faces = [
      [0, 2, 1],
      [0, 1, 3],
      [1, 2, 3],
      [2, 0, 3],
    ];
    if (end === '.obj') {
      const lines = [
        ...corners.map((p) => `v ${p.join(' ')}`),
        ...faces.map((f) => `f ${f.map((i) => i + 1).join(' ')}`),
      ];
      return new TextEncoder().encode(lines.join('\n'));
    }
    const binary = new DataView(new ArrayBuffer(84 + 50 * faces.length));
    binary.setUint32(80, faces.length, true);
    faces.forEach((face, f) => {
      face.forEach((corner, c) => {
        corners[corner].forEach((x, k) => {
          binary.setFloat32(84 + 50 * f + 12 + 12 * c + 4 * k, x, true);
        });
      });
    });
    return new Uint8Array(binary.buffer);
  };

  it.each(['.stl', '.obj'])('meshes %s', LIMIT, (end) => {
    const tally = { accepted: 0, refused: 0 };
    const text = Buffer.from(mesh(end)).toString('latin1');
    fc.assert(
      fc.property(mutations, (list) => {
        try {
          const { points, triangles } = parseMesh(new Uint8Array(Buffer.from(mutate(text, list), 'latin1')), `m${end}`);
          expect([...points].every(Number.isFinite)).toBe(true);
          for (const corner of triangles) expect(corner < points.length / 3).toBe(true);
          tally.accepted++;
        } catch (error) {
          expectProperRefusal(error);
          tally.refused++;
        }
      }),
      { numRuns: 5 * RUNS },
    );
    expect(Math.min(tally.accepted, tally.refused)).toBeGreaterThan(0);
  });

  it('meshes of any bytes', LIMIT, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom('.stl', '.obj', '.msh', '.x'), (bytes, end) => {
        try {
          parseMesh(bytes, `m${end}`);
        } catch (error) {
          expect(error).toBeInstanceOf(ImportError);
        }
      }),
      { numRuns: 10 * RUNS },
    );
  });
});
