// Cached, because creating a formatter takes a hundred times as long as using it, and a table formats every row that scrolls by.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** The units from the longest, each with its seconds. */
const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** How long ago a time was, such as "5 minutes ago". The clock of the service may be ahead of this one's. */
export function formatAge(addedAt: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(addedAt)) / 1_000);
  const [unit, length] = units.find(([, most]) => seconds >= most) ?? ['second', 1];
  return unit === 'second' ? 'just now' : relative.format(-Math.floor(seconds / length), unit);
}

/** How many days before today a time was, by the calendar of the reader. */
function daysAgo(time: Date): number {
  const midnight = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return Math.round((midnight(new Date()) - midnight(time)) / 86_400_000);
}

/** The day of a time: today and yesterday by their words. */
export function formatDay(addedAt: string): string {
  const time = new Date(addedAt);
  const days = daysAgo(time);
  if (days !== 0 && days !== 1) return day.format(time);
  const word = relative.format(-days, 'day');
  return word.charAt(0).toLocaleUpperCase() + word.slice(1);
}

/** The minute of a time, with its day unless that is today. */
export function formatMinute(time: string | number): string {
  const date = new Date(time);
  const minute = clock.format(date);
  return daysAgo(date) === 0 ? minute : `${formatDay(date.toISOString())}, ${minute}`;
}

/** The full time in the reader's locale. */
export function formatTime(addedAt: string): string {
  return absolute.format(new Date(addedAt));
}
