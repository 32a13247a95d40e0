import type { ColumnChoice } from '../../protocol.js';
import type { Reading } from '../check/read-plants.js';
import { readCells, type Table } from '../table.js';
import { countColumns, looksLikeHeader, recognizeColumns } from './recognize-columns.js';

/** How many records the columns are recognized by. */
const sampleLength = 100;

/** How a table is read as it is recognized, and as the person has chosen where they have. */
export function chooseReading(table: Table, chosenHeader?: boolean, chosenColumns?: ColumnChoice): Reading {
  if (table.format.kind === 'ndjson') return { columns: undefined, hasHeader: false };
  const sample = readCells(table, 0, Math.min(sampleLength, table.length));
  const hasHeader = chosenHeader ?? looksLikeHeader(sample);
  const header = hasHeader ? sample[0] : undefined;
  const columns = chosenColumns ?? recognizeColumns(header, hasHeader ? sample.slice(1) : sample);
  return { hasHeader, columns: { ...columns, count: header?.length ?? countColumns(sample) } };
}

const longestTitle = 60;

/** The titles of the columns: those of the header, otherwise a number and the first cell. */
export function readTitles(table: Table, { columns, hasHeader }: Reading): readonly string[] {
  const [first = []] = readCells(table, 0, 1);
  return Array.from({ length: columns?.count ?? 0 }, (_, index) => {
    const text = (first[index] ?? '').trim().slice(0, longestTitle);
    if (hasHeader && text !== '') return text;
    return text === '' ? `Column ${index + 1}` : `Column ${index + 1} (${text})`;
  });
}
