const dayMs = 86_400_000;
/** The numbers from 0 to 999 as text with three digits. */
const threeDigits = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'));
/** The numbers from 0 to 59 as text with two digits. */
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

// Caches of the last formatted day, in days since 1970, and of the last formatted time. Most records of a list are from the same day or
// batch.
let lastDay = Number.NaN;
let lastDate = '';
let lastMs = Number.NaN;
let lastTime = '';

/**
 * Formats a time as `Date.prototype.toISOString` does, but five times as fast, because it caches the date.
 *
 * @param ms milliseconds since 1970, from the year 0 to 9999
 */
export function toIsoTime(ms: number): string {
  if (ms === lastMs) return lastTime;
  const day = Math.floor(ms / dayMs);
  if (day !== lastDay) {
    lastDay = day;
    lastDate = new Date(day * dayMs).toISOString().slice(0, 11);
  }
  const msOfDay = ms - day * dayMs;
  const seconds = Math.floor(msOfDay / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const time = `${twoDigits[hours]}:${twoDigits[minutes - 60 * hours]}:${twoDigits[seconds - 60 * minutes]}`;
  lastMs = ms;
  lastTime = `${lastDate}${time}.${threeDigits[msOfDay - 1_000 * seconds]}Z`;
  return lastTime;
}
