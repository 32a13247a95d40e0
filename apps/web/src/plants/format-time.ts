// To create one takes a hundred times as long as to use it, and a table formats every row that scrolls by.
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
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

/** The whole time, in the words of the reader's place. */
export function formatTime(addedAt: string): string {
  return absolute.format(new Date(addedAt));
}
