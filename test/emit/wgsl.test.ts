import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SumForm } from '../../src/emit/multiply-add-sums.js';
import { emitStatements, FUNCTIONS, literal } from '../../src/emit/wgsl.js';
import { type OpenGpu, openGpu } from '../../src/engines/gpu/device.js';
import { GpuGraph } from '../../src/engines/gpu/formulas.js';
import { VectorGraph } from '../../src/formulas/vectors.js';
import { hasSoftwareGpu } from '../support/software-gpu.js';

const access = {
  read: (array: number, i: number) => `a${array}[${i}]`,
  write: (array: number, i: number, value: string) => `a${array}[${i}] = ${value};`,
};

describe('WGSL', () => {
  it('numbers are 32-bit literals, or refused', () => {
    expect([0, 1, -2, 0.1, 1e-45, 1e30].map(literal)).toEqual([
      '0.0f',
      '1.0f',
      '(-2.0f)',
      '0.10000000149011612f',
      '0.0f',
      '1.0000000150474662e+30f',
    ]);
    expect(() => literal(1e39)).toThrow('32 bits');
  });

  it('products go into the sums that need them, reads come first where asked', () => {
    const g = new VectorGraph();
    const [x, y, z] = g.inputs(0, 0, 3);
    g.output(1, 0, g.sub(z, g.mul(x, y)));
    g.output(1, 1, g.add(g.mul(x, z), g.neg(y)));
    expect(emitStatements(g, access).split('\n')).toEqual([
      'let n4 = a0[2];',
      'let n2 = a0[0];',
      'let n3 = a0[1];',
      'let n6 = fma(-n2, n3, n4);',
      'a1[0] = n6;',
      'let n9 = fma(n2, n4, -n3);',
      'a1[1] = n9;',
    ]);
    const first = emitStatements(g, { ...access, readFirst: true });
    expect(first.lastIndexOf('a0[')).toBeLessThan(first.indexOf('a1['));
  });

  const sumLines = (form: SumForm, make: (g: GpuGraph) => void): string[] => {
    const g = new GpuGraph(form);
    make(g);
    return emitStatements(g, access)
      .split('\n')
      .filter((line) => /^let n\d+ = (?!a\d)/.test(line))
      .map((line) => line.replace(/^let n\d+ = |;$/g, ''));
  };

  it('sums begin with what is there, then one fma for each product', () => {
    // a + (b c - d e)
    const make = (g: GpuGraph): void => {
      const [a, b, c, d, e] = g.inputs(0, 0, 5);
      g.output(1, 0, g.add(a, g.sub(g.mul(b, c), g.mul(d, e))));
    };
    expect(sumLines('merged', make)).toEqual(['fma(-n5, n6, fma(n3, n4, n2))']);
    expect(sumLines('grouped', make)).toEqual(['fma(-n5, n6, n3 * n4)', 'n2 + n9']);
    // Without anything but products the first of them begins.
    expect(
      sumLines('merged', (g) => {
        const [a, b, c, d] = g.inputs(0, 0, 4);
        g.output(1, 0, g.neg(g.add(g.mul(a, b), g.mul(c, d))));
      }),
    ).toEqual(['fma(n4, n5, n2 * n3)']);
  });

  it('products of two sums are part of both, of more they are numbers of their own; far sums stay where they are', () => {
    for (const [count, lines] of [
      [2, 2],
      [3, 4],
    ]) {
      const made = sumLines('merged', (g) => {
        const [a, b, ...others] = g.inputs(0, 0, 2 + count);
        others.forEach((other, k) => {
          g.output(1, k, g.add(other, g.mul(a, b)));
        });
      });
      expect(made, `${count} sums`).toHaveLength(lines);
    }
    const far = sumLines('merged', (g) => {
      const [a, b, c, d] = g.inputs(0, 0, 4);
      const inner = g.add(a, g.mul(b, c));
      for (let k = 0; k < 50; k++) g.output(1, k, g.mul(d, g.constant(k + 2)));
      g.output(1, 50, g.add(inner, d));
    });
    expect(far[0]).toBe('fma(n3, n4, n2)');
  });

  describe.skipIf(!hasSoftwareGpu())('on a device', () => {
    let gpu: OpenGpu;

    beforeAll(async () => {
      gpu = await openGpu();
    });

    afterAll(() => gpu?.close());

    it('sine, cosine, hyperbolic tangent and reciprocal are good to the last digits up to 1e4', async () => {
      const { device } = gpu;
      const count = 4096;
      const input = Float32Array.from({ length: count }, (_, k) => (k - count / 2) * (k % 3 === 0 ? 4.88 : 0.0031));
      const code = `@group(0) @binding(0) var<storage, read_write> x: array<f32>;
${FUNCTIONS}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
let s = sincos(x[id.x]); x[${count}u + id.x] = s.x; x[${2 * count}u + id.x] = s.y; x[${3 * count}u + id.x] = reciprocal(x[id.x] + 0.5); x[${4 * count}u + id.x] = tangent(x[id.x]); }`;
      const buffer = device.createBuffer({ size: 20 * count, usage: 0x80 | 0x4 | 0x8 });
      const read = device.createBuffer({ size: 20 * count, usage: 0x1 | 0x8 });
      device.queue.writeBuffer(buffer, 0, input);
      const pipeline = device.createComputePipeline({
        layout: 'auto',
        compute: { module: device.createShaderModule({ code }), entryPoint: 'main' },
      });
      const bindGroup = device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: { buffer } }],
      });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindGroup);
      pass.dispatchWorkgroups(count / 64);
      pass.end();
      encoder.copyBufferToBuffer(buffer, 0, read, 0, 20 * count);
      device.queue.submit([encoder.finish()]);
      await read.mapAsync(1);
      const out = new Float32Array(read.getMappedRange());
      for (let k = 0; k < count; k++) {
        const x = input[k];
        expect(Math.abs(out[count + k] - Math.sin(x)), `sin ${x}`).toBeLessThan(2e-7);
        expect(Math.abs(out[2 * count + k] - Math.cos(x)), `cos ${x}`).toBeLessThan(2e-7);
        expect(Math.abs(out[4 * count + k] - Math.tanh(x)), `tanh ${x}`).toBeLessThan(4e-7);
        const y = Math.fround(x + 0.5);
        expect(Math.abs(out[3 * count + k] * y - 1), `1 / ${y}`).toBeLessThan(1.3e-7);
      }
      for (const made of [buffer, read]) made.destroy();
    });
  });
});
