import { until } from '../../../support/until.js';

/** Polls a count that is never negative until it is the same twice in a row, half a second apart, and resolves with it. */
export async function untilUnchanged(read: () => number): Promise<number> {
  let last = -1;
  const { count } = await until(() => {
    const before = last;
    last = read();
    return before === last && { count: last };
  }, 500);
  return count;
}
