// Cached, because creating a formatter takes a hundred times as long as using it, and the table formats each row that scrolls into view.
const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const clockFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const fullFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** The units, longest first, in seconds. */
const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Formats how long ago a time was, such as "5 minutes ago". A future time, which a wrong clock can cause, counts as now. */
export function formatAge(addedAt: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(addedAt)) / 1_000);
  const [unit, length] = units.find(([, unitSeconds]) => seconds >= unitSeconds) ?? ['second', 1];
  return unit === 'second' ? 'just now' : relativeFormat.format(-Math.floor(seconds / length), unit);
}

const dayMs = 86_400_000;

/** Returns how many calendar days before today a time was, in the reader's time zone. */
function daysAgo(time: Date): number {
  const midnight = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return Math.round((midnight(new Date()) - midnight(time)) / dayMs);
}

/** Formats the day of a time, as "Today", "Yesterday", or a date. */
export function formatDay(addedAt: string): string {
  const time = new Date(addedAt);
  const days = daysAgo(time);
  if (days !== 0 && days !== 1) return dayFormat.format(time);
  const word = relativeFormat.format(-days, 'day');
  return word.charAt(0).toLocaleUpperCase() + word.slice(1);
}

/** Formats a time to the minute, with its day unless that is today. */
export function formatMinute(time: string | number): string {
  const date = new Date(time);
  const minute = clockFormat.format(date);
  return daysAgo(date) === 0 ? minute : `${formatDay(date.toISOString())}, ${minute}`;
}

/** Formats a date and time in full, in the reader's locale. */
export function formatTime(addedAt: string): string {
  return fullFormat.format(new Date(addedAt));
}
