import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { printedTypes } from '../scripts/printed-types.js';

it.each(Object.entries(printedTypes()))(
  '%s is as the definitions and the contract print it',
  (file, text) => {
    const isCurrent = readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8') === text;
    expect(
      isCurrent,
      `${file} is out of date: run \`pnpm --filter @plant-store/contract run print-types\``,
    ).toBe(true);
  },
);
