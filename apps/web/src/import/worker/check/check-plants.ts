import type { NewPlant } from '@plant-store/contract';
import type { Pacer } from '../pacer.js';
import { readLineNumber, type Table } from '../table.js';
import { type Reading, readPlants } from './read-plants.js';

/** What is known about a record: a byte, since there may be a million. */
export const state = { open: 0, faulty: 1, stored: 2, replayed: 3, rejected: 4, header: 5 } as const;

/** Why a record is not stored, with the number of the service's error if it was sent. */
export interface Problem {
  readonly reason: string;
  readonly error?: number;
}

/** The records of a table by what they hold, before anything is sent. */
export interface CheckedPlants {
  /** The `state` of each record. */
  readonly states: Uint8Array;
  /** Of the records that are `faulty`, and later of those that are `rejected`. */
  readonly problems: Map<number, Problem>;
  /** How many records are plants that can be sent. */
  readonly plants: number;
  /** How many of these are the same plant as an earlier one. */
  readonly duplicates: number;
  /** How many ids look as if a spreadsheet had rounded them to 15 digits. */
  readonly rounded: number;
}

const blockLength = 500;

/**
 * Checks all records by the contract, and against each other: an id of two different plants can be only one's.
 *
 * @param pacer gets the fraction that is done
 */
export async function checkPlants(table: Table, reading: Reading, pacer: Pacer): Promise<CheckedPlants> {
  const check = new Check(table, reading);
  for (let from = reading.hasHeader ? 1 : 0; from < table.length; from += blockLength) {
    const to = Math.min(from + blockLength, table.length);
    check.add(from, to);
    await pacer.pass(to / table.length);
  }
  return check.finish();
}

class Check {
  readonly #table: Table;
  readonly #reading: Reading;
  readonly #states: Uint8Array;
  readonly #problems = new Map<number, Problem>();
  readonly #firstById = new Map<bigint, number>();
  #plants = 0;
  #duplicates = 0;
  #longIds = 0;
  #roundedIds = 0;

  constructor(table: Table, reading: Reading) {
    this.#table = table;
    this.#reading = reading;
    this.#states = new Uint8Array(table.length);
    if (reading.hasHeader) this.#states[0] = state.header;
  }

  add(from: number, to: number): void {
    for (const [offset, record] of readPlants(this.#table, this.#reading, from, to).entries()) {
      const index = from + offset;
      const reason = 'reason' in record ? record.reason : this.#addPlant(index, record.plant);
      if (reason === undefined) continue;
      this.#states[index] = state.faulty;
      this.#problems.set(index, { reason });
    }
  }

  finish(): CheckedPlants {
    return {
      states: this.#states,
      problems: this.#problems,
      plants: this.#plants,
      duplicates: this.#duplicates,
      // Where some long ids do not end in zeros, no spreadsheet has rounded the column.
      rounded: this.#roundedIds === this.#longIds ? this.#roundedIds : 0,
    };
  }

  /** Counts a plant, or gives the reason why it cannot be stored beside an earlier one. */
  #addPlant(index: number, plant: NewPlant): string | undefined {
    const first = this.#firstById.get(plant.id);
    if (first === undefined) {
      this.#firstById.set(plant.id, index);
    } else {
      if (!this.#isSame(first, plant)) {
        return `line ${readLineNumber(this.#table, first)} has another plant under the id ${plant.id}; choose another id for one of them`;
      }
      this.#duplicates++;
    }
    this.#plants++;
    this.#countDigits(plant.id);
    return undefined;
  }

  #isSame(index: number, plant: NewPlant): boolean {
    const [record] = readPlants(this.#table, this.#reading, index, index + 1);
    return (
      record !== undefined &&
      'plant' in record &&
      record.plant.name === plant.name &&
      record.plant.tag === plant.tag
    );
  }

  #countDigits(id: bigint): void {
    if (id < 10n ** 15n && id > -(10n ** 15n)) return;
    this.#longIds++;
    // The first 15 digits are what a spreadsheet keeps of a number.
    if (/^-?\d{15}0+$/.test(String(id))) this.#roundedIds++;
  }
}
