import { writeFileSync } from 'node:fs';

/** Returns the median of numbers, or `NaN` if there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** Returns the medians of the named figures of several rounds. */
export function medians<Name extends string>(
  rounds: readonly Readonly<Record<Name, number>>[],
  ...names: readonly Name[]
): Record<Name, number> {
  const entries = names.map((name) => [name, median(rounds.map((round) => round[name]))] as const);
  return Object.fromEntries(entries) as Record<Name, number>;
}

/** Formats a Markdown table. The first column is left-aligned, and the others are right-aligned. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const align = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  const line = (cells: readonly string[]) => `| ${cells.map(align).join(' | ')} |`;
  const rule = widths.map((width, column) => `${'-'.repeat(width + 1)}${column === 0 ? '-' : ':'}`);
  return [line(head), `|${rule.join('|')}|`, ...rows.map(line)].join('\n');
}

/** Formats a count: `12,345`. */
export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** Formats a measured figure with three significant digits: `12,300`, `12.3`, `0.434`; `–` if unknown. */
export function formatFigure(value: number): string {
  if (Number.isNaN(value)) return '–';
  return value.toLocaleString('en-US', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
}

/** Formats bytes in MiB: `123 MiB`. */
export function formatMemory(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

/** Formats a number with a noun: `1 round`, `3 rounds`. */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
