import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './support.js';

/** A table of a page; its header row is on the page already, and on no other table of it. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Compares a table with that on a page, given by its path in the repository. With the option `--write` on the command line it
 * writes it there instead.
 *
 * @throws {Error} with the table if the page has another
 */
export function checkTable(page: string, table: Table): void {
  const path = join(root, page);
  const documented = readFileSync(path, 'utf8');
  const measured = replaceTable(documented, table);
  if (process.argv.includes('--write')) writeFileSync(path, measured);
  else if (measured !== documented) {
    throw new Error(`${page} has another table; --write replaces it by:\n${formatRows(table)}`);
  }
}

/** Replaces the table of a Markdown text that has the same header row, up to its last row. */
function replaceTable(text: string, table: Table): string {
  const lines = text.split('\n');
  const start = lines.indexOf(formatRow(table.head));
  if (start < 0) throw new Error(`No table begins with ${formatRow(table.head)}`);
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  lines.splice(start, length < 0 ? lines.length : length, formatRows(table));
  return lines.join('\n');
}

function formatRows({ head, rows }: Table): string {
  return [formatRow(head), `|${'---|'.repeat(head.length)}`, ...rows.map(formatRow)].join('\n');
}

function formatRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** A number with separators: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
