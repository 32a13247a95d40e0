import type { ColumnChoice, ColumnsPreview } from '../../protocol.js';
import { isNdjson, readCells, type Table } from '../table.js';
import { toVisible } from '../to-visible.js';
import { countColumns, looksLikeHeader, recognizeColumns } from './recognize-columns.js';

/** How the records of a table are read. */
export interface Reading {
  readonly hasHeader: boolean;
  /** Which cell of a row is which field, and how many cells a row may have; `undefined` for NDJSON. */
  readonly columns: (ColumnChoice & { readonly count: number }) | undefined;
}

/** How many records the columns are recognized by. */
const sampleLength = 100;

/** How a table is read as it is recognized, and as the person has chosen where they have. */
export function chooseReading(table: Table, chosenHeader?: boolean, chosenColumns?: ColumnChoice): Reading {
  if (isNdjson(table)) return { columns: undefined, hasHeader: false };
  const sample = readSample(table);
  const hasHeader = chosenHeader ?? looksLikeHeader(sample);
  const header = hasHeader ? sample[0] : undefined;
  const columns = chosenColumns ?? recognizeColumns(header, hasHeader ? sample.slice(1) : sample);
  return { hasHeader, columns: { ...columns, count: header?.length ?? countColumns(sample) } };
}

const longestTitle = 60;
const samples = 3;

/** The columns of a table for the person to choose from. */
export function describeColumns(table: Table, { columns, hasHeader }: Reading): ColumnsPreview | undefined {
  if (columns === undefined) return undefined;
  const [first = [], ...others] = readSample(table);
  const rows = hasHeader ? others : [first, ...others];
  const { count, ...choice } = columns;
  return {
    hasHeader,
    choice,
    columns: Array.from({ length: count }, (_, column) => ({
      title: (hasHeader && toVisible(first[column]?.trim() ?? '', longestTitle)) || `Column ${column + 1}`,
      samples: rows
        .map((cells) => cells[column] ?? '')
        .filter((cell) => cell.trim() !== '')
        .slice(0, samples)
        .map((cell) => toVisible(cell, longestTitle)),
    })),
  };
}

function readSample(table: Table): readonly (readonly string[])[] {
  return readCells(table, 0, Math.min(sampleLength, table.length));
}
