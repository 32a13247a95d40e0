import { type Filter, type List, listLength, type Row } from '../protocol.js';
import type { CheckedPlants, Problem } from './check/check-plants.js';
import type { Reading } from './check/read-plants.js';
import { readPlants } from './check/read-plants.js';
import { readCells, readLineNumber, type Table } from './table.js';

const longestText = 200;

/** The part of the lines that the page shows: all of them, or those with a problem. */
export function listRows(
  table: Table,
  reading: Reading,
  { problems }: CheckedPlants,
  filter: Filter,
  offset: number,
): List {
  const first = reading.hasHeader ? 1 : 0;
  const faulty = filter === 'faulty' ? [...problems.keys()].sort((a, b) => a - b) : undefined;
  const total = faulty?.length ?? table.length - first;
  const indexes = Array.from(
    { length: Math.max(0, Math.min(listLength, total - offset)) },
    (_, row) => faulty?.[offset + row] ?? first + offset + row,
  );
  return {
    filter,
    offset,
    total,
    rows: indexes.map((index) => toRow(table, reading, index, problems.get(index))),
  };
}

function toRow(table: Table, reading: Reading, index: number, problem: Problem | undefined): Row {
  const { id, name, tag } = readTexts(table, reading, index);
  return {
    line: readLineNumber(table, index),
    id: toVisible(id),
    name: toVisible(name),
    tag: toVisible(tag),
    problem: problem?.reason,
  };
}

/** The texts of a record, as far as it can be read. */
function readTexts(table: Table, { columns, hasHeader }: Reading, index: number) {
  const [record] = readPlants(table, { columns, hasHeader }, index, index + 1);
  if (record && 'plant' in record) {
    const { id, name, tag = '' } = record.plant;
    return { id: String(id), name, tag };
  }
  const [cells = []] = readCells(table, index, index + 1);
  // Of what is no row of cells, the text as it is.
  if (columns === undefined || table.records.malformed.has(index))
    return { id: '', name: cells[0] ?? '', tag: '' };
  const cellOf = (column: number | undefined) => (column === undefined ? '' : (cells[column] ?? ''));
  return { id: cellOf(columns.id), name: cellOf(columns.name), tag: cellOf(columns.tag) };
}

/** A text cut off where it is long, with its control characters as the pictures of Unicode. */
function toVisible(text: string): string {
  const start = text.length > longestText ? `${text.slice(0, longestText)}…` : text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
  return start.replace(/[\0-\x1f]/g, (character) => String.fromCharCode(0x2400 + character.charCodeAt(0)));
}
