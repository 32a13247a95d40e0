import { readCells, type Table } from '../table.js';
import { type Columns, type PlantRecord, readPlantJson, readPlantRow } from './read-plant.js';

/** How the records of a table are read. */
export interface Reading {
  /** Of a table of cells; `undefined` for NDJSON. */
  readonly columns: Columns | undefined;
  readonly hasHeader: boolean;
}

const openQuote =
  'a double quote opens a cell and does not close it; close it, or write it twice if it belongs to the text';

/** What some records hold, in order. */
export function readPlants(
  table: Table,
  { columns }: Reading,
  from: number,
  to: number,
): readonly PlantRecord[] {
  return readCells(table, from, to).map((cells, offset) => {
    if (columns === undefined) return readPlantJson(cells[0] ?? '');
    if (table.records.malformed.has(from + offset)) return { reason: openQuote };
    return readPlantRow(cells, columns);
  });
}
