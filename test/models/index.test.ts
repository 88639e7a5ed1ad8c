import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MechanismError } from '../../src/mechanism/errors.js';
import { BUILTIN_MODELS, builtinMechanism } from '../../src/models/index.js';

test.each(BUILTIN_MODELS)('$example', ({ name, example, description }) => {
  const mechanism = builtinMechanism(example);
  expect(mechanism.name).toBe(example);
  expect(mechanism.nv).toBeGreaterThan(0);
  expect(mechanism.warnings).toEqual([]);
  expect(example.replace(/^chain-\d+/, 'chain-N')).toBe(name);
  expect(description).not.toBe('');
  for (const body of mechanism.bodies) expect(body.visuals.length, body.name).toBeGreaterThan(0);
});

test('the list', () => {
  expect(BUILTIN_MODELS.map((model) => model.name)).toEqual([
    'chain-N',
    'chain-N-spherical',
    'chain-N-free',
    'chain-N-spherical-free',
    'human-34',
    'human-40',
    'human-48',
    'human-52',
    'human-161',
    'compass',
    'kneed',
  ]);
});

test('docs/models.md has a line for every one of them', () => {
  const page = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8');
  for (const { name } of BUILTIN_MODELS) expect(page).toMatch(new RegExp(`^\\| \`${name}\` +\\|`, 'm'));
});

test('numbers of a chain are taken from its name', () => {
  expect(builtinMechanism('chain-5-spherical-free').nv).toBe(6 + 4 * 3);
  expect(builtinMechanism('chain-007').name).toBe('chain-7');
});

describe('names that are none', () => {
  function complaint(name: string): string {
    try {
      builtinMechanism(name);
    } catch (error) {
      expect(error).toBeInstanceOf(MechanismError);
      return (error as Error).message;
    }
    throw new Error(`"${name}" was taken for a built-in mechanism`);
  }

  test('the error lists what there is', () => {
    const message = complaint('robot');
    expect(message).toContain('There is no built-in mechanism "robot".');
    for (const { name } of BUILTIN_MODELS) expect(message).toContain(name);
    expect(message).toContain('N from 1 to 1000000');
    expect(message).not.toContain('Did you mean');
  });

  test.each([
    ['human34', 'human-34'],
    ['Human-161', 'human-161'],
    ['human-53', 'human-52'],
    ['chain32', 'chain-32'],
    ['chain-17-sperical', 'chain-17-spherical'],
    ['human', 'human-34'],
    ['chain', 'chain-32'],
    ['compas', 'compass'],
  ])('%s: did you mean %s?', (name, near) => {
    expect(complaint(name)).toContain(`Did you mean "${near}"?`);
  });

  test.each([
    '',
    'toString',
    '__proto__',
    'constructor',
    'chain--3',
    'chain-1.5',
    'chain-3e2',
    ' chain-3',
    'chain-3\n',
  ])('%j', (name) => {
    expect(complaint(name)).toContain('There is no built-in mechanism');
  });

  test('a very long one is refused at once', () => {
    const message = complaint(`chain-${'9'.repeat(100_000)}-long`);
    expect(message).toContain('There is no built-in mechanism "chain-999');
    expect(message.length).toBeLessThan(400);
    expect(complaint(`chain-${'9'.repeat(400)}`)).toContain('1 to 1000000 links, got Infinity');
  });
});
