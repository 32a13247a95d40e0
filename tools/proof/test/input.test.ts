import { expect, it } from 'vitest';
import { proveInput } from '../src/input/input.js';
import { isNightly } from './support/is-nightly.js';
import { shortContext } from './support/short-context.js';

it('generated requests get documented replies, and what is accepted is stored exactly', async () => {
  const results = await proveInput(shortContext(1));
  const requests = isNightly ? 1_000 : 200;
  expect(results.map(({ failures }) => failures)).toEqual([[], []]);
  for (const { figures } of results) {
    expect(figures['requests']).toBeGreaterThanOrEqual(requests);
    expect(figures['plants compared']).toBeGreaterThan(0.3 * requests);
    expect(figures['status 400']).toBeGreaterThan(0.3 * requests);
    // Fewer requests are all in flight together.
    if (isNightly) expect(figures['of those deleted']).toBeGreaterThan(0);
  }
}, 600_000);
