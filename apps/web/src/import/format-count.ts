/** Formats a count, such as `19,800`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

/** Formats a count with its noun, such as `1 plant` or `19,800 plants`. */
export function formatCountOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
