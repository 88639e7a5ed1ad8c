import { availableParallelism } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { endThreads } from '../../src/engines/threads/index.js';
import { expectRefusal, json, manikin, output } from './support.js';

afterAll(() => endThreads());

describe('bench parallel', () => {
  it('prints what the contract asks for', async () => {
    const { machine, results } = await json('bench', 'parallel', 'human-48', '--threads', '1,2', '--seconds', '0.05');
    expect(machine).toMatchObject({ processor: expect.any(String), cores: expect.any(Number) });
    expect(results).toHaveLength(2);
    for (const [k, line] of results.entries()) {
      expect(line.model).toBe('human-48');
      expect(line.workers).toBe(k + 1);
      for (const key of ['ns', 'nsMedian', 'serialNs', 'printedSerialNs', 'predictedNs'])
        expect(line[key], key).toBeGreaterThan(100);
      expect(line.nsMedian).toBeGreaterThanOrEqual(line.ns);
      expect(['serial', 'parallel']).toContain(line.chosen);
      expect(line.hash).toMatch(/^[0-9a-f]{16}$/);
    }
    expect(results[0].chosen).toBe('serial');
    // One cutting, two numbers of threads: the same bits.
    expect(results[1].hash).toBe(results[0].hash);
  });

  it('tells how good the automatic choice is', async () => {
    const { machine, results, choices } = await json('bench', 'parallel', '--auto', 'compass', '--seconds', '0.05');
    expect(machine).toMatchObject({ cores: expect.any(Number) });
    expect(results).toEqual([]);
    expect(choices.length).toBe(1);
    for (const line of choices) {
      expect(line).toMatchObject({ model: 'compass', chosen: 'serial', workers: 1 });
      for (const key of ['chosenNs', 'serialNs', 'parallelNs', 'readyMs', 'predictedSerialNs'])
        expect(line[key], key).toBeGreaterThan(1);
      // On one core threads are no choice, and nothing is predicted of them.
      if (availableParallelism() > 1) expect(line.predictedNs).toBeGreaterThan(1);
      else expect(line.predictedNs).toBeNull();
      expect(line.ratio).toBeCloseTo(line.chosenNs / Math.min(line.serialNs, line.parallelNs));
    }
    expect(await output('bench', 'parallel', '--auto', 'compass', '--seconds', '0.05')).toContain('Worst choice');
  });

  it('says what is wrong', async () => {
    expectRefusal(await manikin('bench', 'parallel'), 2);
    expectRefusal(await manikin('bench', 'parallel', '--auto', 'nobody'), 2);
    expectRefusal(await manikin('bench', 'parallel', 'human-48', '--threads', '0'), 2);
    expectRefusal(await manikin('bench', 'parallel', 'human-48', '--workers', 'two'), 2);
    expectRefusal(await manikin('bench', 'parallel', 'nobody'), 2);
    expect(await output('bench', 'parallel', '--help')).toContain('Example');
  });
});

describe('reproduce', () => {
  it('000: a table of times beside the paper', async () => {
    const { code, out, err } = await manikin('reproduce', '000', '--table', '2', '--seconds', '0.05', '--json');
    expect(code).toBe(0);
    const { rows } = JSON.parse(out);
    expect(/^Up to 4 processes on \d+ cores: /.test(err)).toBe(availableParallelism() < 4);
    expect(rows.map((row: { processes: number }) => row.processes)).toEqual([1, 2, 4, 1, 2, 4]);
    expect(rows[1].paperMs).toBe(2.49);
    for (const row of rows) expect(row.ns).toBeGreaterThan(100);
    expectRefusal(await manikin('reproduce', '000', '--table', '3'), 2);
    expectRefusal(await manikin('reproduce', '003', '--figure', '4'), 2);
  });

  it('002: figure 4', async () => {
    const { rows, best, serialNs } = await json(
      'reproduce',
      '002',
      '--figure',
      '4',
      '--every',
      '100',
      '--seconds',
      '0.05',
    );
    expect(rows.map((row: { root: number }) => row.root)).toEqual([1, 101]);
    expect(best.ns).toBeGreaterThan(0);
    expect(serialNs).toBeGreaterThan(0);
  });
});
