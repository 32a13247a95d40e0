import { vi } from 'vitest';

/** Less than a test may take (`vitest.config.ts`), so that a test that fails reports which condition did not hold. */
const timeoutMs = 240_000;

/**
 * How much later than promised a test may observe something, in milliseconds: the promised time does not depend on the
 * machine, but what a test measures includes work, and a machine may be ten times slower than usual.
 */
export const slackMs = 10_000;

/** Polls until the condition returns something truthy, and resolves with that. */
export function until<Result>(condition: () => Result | Promise<Result>, intervalMs = 20) {
  return vi.waitUntil(condition, { timeout: timeoutMs, interval: intervalMs });
}

/** Polls a URL until it answers with a status. */
export async function untilStatus(url: string, status: number): Promise<void> {
  await until(async () => (await fetch(url)).status === status);
}
