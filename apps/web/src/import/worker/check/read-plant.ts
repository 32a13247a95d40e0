import { type NewPlant, NewPlantSchema } from '@plant-store/contract';
import { parseExactJson } from '@plant-store/contract/exact-json/parse';
import type { ColumnChoice } from '../../protocol.js';
import { readId } from './read-id.js';

/** What a record holds: a plant that the contract accepts, or why it is none. */
export type PlantRecord = { readonly plant: NewPlant } | { readonly reason: string };

/** Which cell of a row is which field, and how many cells a row may have. */
export interface Columns extends ColumnChoice {
  readonly count: number;
}

/** Reads the plant of a row of cells. An empty cell counts as none, since cells cannot show the difference. */
export function readPlantRow(cells: readonly string[], columns: Columns): PlantRecord {
  if (cells.slice(columns.count).some((cell) => cell.trim() !== '')) {
    return {
      reason: `the line has ${cells.length} cells for ${columns.count} columns; put a text that contains the delimiter in double quotes`,
    };
  }
  const cellOf = (column: number | undefined) =>
    (column === undefined ? undefined : cells[column]) || undefined;
  const id = readId(cellOf(columns.id) ?? '');
  const tag = cellOf(columns.tag);
  const texts = { name: cellOf(columns.name), ...(tag !== undefined && { tag }) };
  if ('id' in id) return validate({ id: id.id, ...texts });
  const others = validate({ id: 0n, ...texts });
  return { reason: 'reason' in others ? `${id.reason}; ${others.reason}` : id.reason };
}

/** Reads the plant of an NDJSON line, with the exact JSON of the service. */
export function readPlantJson(text: string): PlantRecord {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { reason: `the line is not valid JSON: ${error.message}` };
  }
  return validate(value);
}

/** Checks a plant by the contract, with its messages. */
function validate(value: unknown): PlantRecord {
  const { data, error } = NewPlantSchema.safeParse(value);
  if (error === undefined) return { plant: data };
  return {
    reason: error.issues
      .map(({ path, message }) => `${path.length === 0 ? 'the line' : path.join('.')} ${message}`)
      .join('; '),
  };
}
