import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './support.js';

/** A table of a page. The page has its header row exactly once. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Compares a table with the one on a page, or replaces that one if `--write` is on the command line.
 *
 * @param page the page's path in the repository
 * @throws {Error} with the table if the page has a different one
 */
export function checkTable(page: string, table: Table): void {
  const path = join(root, page);
  const documented = readFileSync(path, 'utf8');
  const measured = replaceTable(documented, table);
  if (process.argv.includes('--write')) writeFileSync(path, measured);
  else if (measured !== documented) {
    throw new Error(`The table in ${page} differs. --write replaces it with:\n${formatRows(table)}`);
  }
}

/** Replaces the table in a Markdown text that has the same header row. */
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

/** Formats a count: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
