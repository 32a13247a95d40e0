import { vi } from 'vitest';

/** Less than a test may take (`vitest.config.ts`), so that a test that fails reports which condition did not hold. */
const timeoutMs = 240_000;

/**
 * Polls until the condition returns something truthy, and resolves with that.
 *
 * @param describe what the error shows when it never does
 * @throws what the condition throws, immediately
 */
export async function until<Found>(
  condition: () => Found | Promise<Found>,
  describe = () => '',
): Promise<NonNullable<Found>> {
  const poll = async () => {
    try {
      const value = await condition();
      return value ? { value } : undefined;
    } catch (error) {
      return { error };
    }
  };
  const outcome = await vi
    .waitUntil(poll, { timeout: timeoutMs, interval: 50 })
    .catch((cause) => ({ error: new Error(`${cause.message} ${describe()}`, { cause }) }));
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
