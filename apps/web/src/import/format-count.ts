/** A count for people, such as `19,800`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

/** A count with its noun, such as `1 plant` or `19,800 plants`. */
export function formatCountOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
