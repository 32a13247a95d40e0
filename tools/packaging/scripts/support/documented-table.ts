import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** A table of a page; its header row is on the page already, and on no other table of it. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const root = resolve(import.meta.dirname, '../../../..');

/**
 * Compares tables with those on a page, given by its path in the repository. With the option `--write` on the command
 * line it writes them there instead.
 *
 * @throws {Error} with the tables if the page has others
 */
export function checkTables(page: string, tables: readonly Table[]): void {
  const path = resolve(root, page);
  const documented = readFileSync(path, 'utf8');
  const measured = tables.reduce(replaceTable, documented);
  if (process.argv.includes('--write')) {
    writeFileSync(path, measured);
    return;
  }
  if (measured === documented) {
    console.log(`${page}: its tables are up to date`);
    return;
  }
  const expected = tables.map(formatRows).join('\n\n');
  throw new Error(
    `The tables in ${page} differ. Run this again with --write. They should be:\n\n${expected}`,
  );
}

/**
 * Compares some rows of a table with those on a page.
 *
 * @throws {Error} with the rows that the page does not have
 */
export function checkRows(page: string, { rows }: Table): void {
  const documented = readFileSync(resolve(root, page), 'utf8').split('\n');
  const missing = rows.map(formatRow).filter((row) => !documented.includes(row));
  if (missing.length > 0) throw new Error(`${page} does not have these rows:\n${missing.join('\n')}`);
}

/** Replaces the table of a Markdown text that has the same header row, up to its last row. */
export function replaceTable(text: string, table: Table): string {
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
