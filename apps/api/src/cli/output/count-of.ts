/** A count with its noun, such as `1 plant` or `5 plants`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}
