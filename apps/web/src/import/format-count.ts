/** A count for people, such as `19,800`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}
