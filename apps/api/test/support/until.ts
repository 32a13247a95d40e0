import { vi } from 'vitest';

/** Less than a test may take (`vitest.config.ts`), so that a test that fails reports which condition did not hold. */
const timeoutMs = 240_000;

/** Polls until the condition returns something truthy, and resolves with that. */
export function until<Result>(condition: () => Result | Promise<Result>, intervalMs = 20) {
  return vi.waitUntil(condition, { timeout: timeoutMs, interval: intervalMs });
}
