import type { TextName } from '../../../shared/fields.js';
import { toVisible } from '../../../shared/to-visible.js';
import type { ColumnChoice, ColumnsPreview, Fix } from '../../protocol.js';
import { isNdjson, readCells, readLineNumber, type Table } from '../table.js';
import { countColumns, findHeader, recognizeColumns } from './recognize-columns.js';

/** How the records of a table are read. */
export interface Reading {
  /** The record with the titles, from 0 on. What is above is not read. */
  readonly header: number | undefined;
  /** Which cell of a row is which field, and how many cells a row may have; `undefined` for NDJSON. */
  readonly columns: (ColumnChoice & { readonly count: number }) | undefined;
  /** What is done to all ids that cannot be read, and to untidy texts. */
  readonly fixes: readonly Fix[];
  /** What is written in place of untidy texts, by their fields. */
  readonly tidied?: { readonly [Name in TextName]?: ReadonlyMap<string, string> };
}

/** How many records the columns are recognized by. */
const sampleLength = 100;

interface Chosen {
  readonly header: number | undefined;
  readonly columns?: ColumnChoice;
}

/** How a table is read as it is recognized, and as the person has chosen where they have. */
export function chooseReading(table: Table, chosen?: Chosen): Reading {
  if (isNdjson(table)) return { columns: undefined, header: undefined, fixes: [] };
  const start = readCells(table, 0, Math.min(sampleLength, table.length));
  const header = chosen === undefined ? findHeader(start) : chosen.header;
  const { titles, rows } = readSample(table, header);
  const columns = chosen?.columns ?? recognizeColumns(titles, rows);
  const count = titles?.findLastIndex((title) => title.trim() !== '') ?? countColumns(rows) - 1;
  return { header, columns: { ...columns, count: count + 1 }, fixes: [] };
}

const longestTitle = 60;
const samples = 3;
/** How much of a line is shown to choose the header from. */
const firstCells = 8;
const longestCell = 40;

/** The columns of a table for the person to choose from. */
export function describeColumns(table: Table, { columns, header }: Reading): ColumnsPreview | undefined {
  if (columns === undefined) return undefined;
  const { titles, rows } = readSample(table, header);
  const { count, ...choice } = columns;
  const described = Array.from({ length: count }, (_, column) => ({
    column,
    title: toVisible(titles?.[column]?.trim() ?? '', longestTitle),
    samples: rows
      .map((cells) => cells[column] ?? '')
      .filter((cell) => cell.trim() !== '')
      .slice(0, samples)
      .map((cell) => toVisible(cell, longestTitle)),
  }));
  const shown = described.filter((each) => each.title !== '' || each.samples.length > 0);
  const firstRows = readCells(table, 0, Math.min(table.length, (header ?? 0) + 5));
  return {
    header,
    choice,
    firstRows: firstRows.map((cells, record) => ({
      record,
      line: readLineNumber(table, record),
      cells: cells
        .slice(0, Math.min(firstCells, cells.findLastIndex((cell) => cell.trim() !== '') + 1))
        .map((cell) => toVisible(cell, longestCell)),
    })),
    columns: shown.map((each) => ({ ...each, title: each.title || `Column ${each.column + 1}` })),
  };
}

/** The titles, if there are any, and the first rows below them. */
function readSample(table: Table, header: number | undefined) {
  const from = header ?? 0;
  const sample = readCells(table, from, Math.min(from + sampleLength, table.length));
  return header === undefined
    ? { titles: undefined, rows: sample }
    : { titles: sample[0] ?? [], rows: sample.slice(1) };
}
