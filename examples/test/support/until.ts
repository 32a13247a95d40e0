import { vi } from 'vitest';

/** Less than a test may take (`vitest.config.ts`), so that a test that fails reports which condition did not hold. */
const timeoutMs = 240_000;

/** Polls until the condition returns something truthy, and resolves with that; rejects with what it throws. */
export function until<Found>(condition: () => Found | Promise<Found>) {
  return vi.waitUntil(condition, { timeout: timeoutMs, interval: 50 });
}
