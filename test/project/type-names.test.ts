// One name, one thing: no two exported types, interfaces or classes of src have the same name.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const DECLARATION = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm;

it('no two exported types have one name', () => {
  const files = new Map<string, string[]>();
  for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    for (const [, name] of readFileSync(SRC + file, 'utf8').matchAll(DECLARATION)) {
      const others = files.get(name) ?? [];
      files.set(name, [...others, file]);
    }
  }
  expect(files.size).toBeGreaterThan(300);
  expect([...files].filter(([, declared]) => declared.length > 1)).toEqual([]);
});
