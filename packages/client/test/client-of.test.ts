import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { clientOf } from '../scripts/client-of.js';

/** Without what the formatter changes. */
const withoutLayout = (code: string) => code.replace(/\s+|,(?=\s*[}\])])/g, '');

it('client.ts has the methods of the contract: run `pnpm --filter @plant-store/client run print-client`', () => {
  const source = readFileSync(new URL('../src/client.ts', import.meta.url), 'utf8');
  expect(withoutLayout(source)).toContain('createPlant(request');
  expect(withoutLayout(clientOf(source))).toBe(withoutLayout(source));
});
