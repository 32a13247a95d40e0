import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { typesOf } from '../scripts/types-of.js';
import { resources } from '../src/resources.js';

it('the printed types are those of the definitions', () => {
  const printed = readFileSync(new URL('../src/types.ts', import.meta.url), 'utf8');
  const isCurrent = printed === typesOf(Object.values(resources));
  expect(
    isCurrent,
    'types.ts is out of date: run `pnpm --filter @plant-store/contract run print-types`',
  ).toBe(true);
});
