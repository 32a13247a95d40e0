/** A number of things or a rate, without fractions: `12,345`. */
export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** Milliseconds: `0.42`, `12.3`. */
export function formatMs(ms: number): string {
  return ms.toFixed(ms < 10 ? 2 : 1);
}

/** Bytes in MiB: `123 MiB`. */
export function formatMemory(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

/** A ratio: `0.12 x`, or `–` where there is none. */
export function formatRatio(ratio: number | null): string {
  return ratio === null ? '–' : `${ratio.toFixed(2)} x`;
}

/** A number with what it counts: `1 round`, `3 rounds`. */
export function countOf(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}
