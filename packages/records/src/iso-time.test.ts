import { expect, it } from 'vitest';
import { toIsoTime } from './iso-time.js';

it('formats a time as Date does', () => {
  const times = [0, 999, 1_000, 59_999, 3_599_999, 86_399_999, 951_782_400_000, 253_402_300_799_999];
  for (let ms = 1_795_000_000_000; ms < 1_795_200_000_000; ms += 7_654_321) times.push(ms);
  for (const ms of [...times, ...times.map((time) => -time - 1)]) {
    if (new Date(ms).getUTCFullYear() >= 0) expect(toIsoTime(ms)).toBe(new Date(ms).toISOString());
  }
});
