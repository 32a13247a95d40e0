import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The median of some numbers; `NaN` of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** The medians of the named figures of several rounds. */
export function medians<Name extends string>(
  rounds: readonly Readonly<Record<Name, number>>[],
  ...names: readonly Name[]
): Record<Name, number> {
  const entries = names.map((name) => [name, median(rounds.map((round) => round[name]))] as const);
  return Object.fromEntries(entries) as Record<Name, number>;
}

/** The errors of all rounds, and whether every round was valid. */
export function outcomeOf(rounds: readonly { readonly errors: number; readonly valid: boolean }[]) {
  return {
    errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
    valid: rounds.every(({ valid }) => valid),
  };
}

/** Formats a Markdown table: the first column is aligned left, the others right. Numbers get thousands separators. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? formatCount(cell) : cell)));
  const widths = head.map((title, column) =>
    Math.max(title.length, ...texts.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => align(cells[column] ?? '', width, column)).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => `${'-'.repeat(width + 1)}${column === 0 ? '-' : ':'}`).join('|')}|`;
  return [line(head), rule, ...texts.map(line)].join('\n');
}

function align(text: string, width: number, column: number): string {
  return column === 0 ? text.padEnd(width) : text.padStart(width);
}

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

/** Writes what was found as JSON, and creates the folder. */
export function writeJson(path: string, value: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
