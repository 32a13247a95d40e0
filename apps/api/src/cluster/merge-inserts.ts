import type { NewPlant } from '@plant-store/contract';
import { ServiceError } from '../errors/service-error.js';
import type { InsertOutcome, PlantInserter } from '../plants/plant-store.js';

/** Inserts of several callers, merged. */
export interface MergedInserts extends PlantInserter {
  /** Resolves once no insert is in flight or waits. */
  idle(): Promise<void>;
}

/** An insert that waits for the next commit. */
interface WaitingInsert {
  readonly plants: readonly NewPlant[];
  resolve(outcomes: readonly InsertOutcome[]): void;
  reject(error: unknown): void;
}

/**
 * Merges the inserts that wait while a commit is in flight into the next one, in the order of their arrival: the disk is
 * waited for once for all of them. Each has its own outcomes, and its own error, as if it had been alone.
 *
 * @param maxPlants how many plants a merged commit has at most; an insert that is larger has one of its own
 */
export function mergeInserts(store: PlantInserter, maxPlants: number): MergedInserts {
  const waiting: WaitingInsert[] = [];
  let running: Promise<void> | undefined;

  /** Takes as many of the first inserts as fit into one commit, at least one. */
  function takeNext(): WaitingInsert[] {
    let plants = waiting[0]?.plants.length ?? 0;
    let count = 1;
    for (; count < waiting.length; count++) {
      plants += waiting[count]?.plants.length ?? 0;
      if (plants > maxPlants) break;
    }
    return waiting.splice(0, count);
  }

  async function run(): Promise<void> {
    // Those that arrive in the same turn of the event loop share the first commit, too.
    await new Promise(setImmediate);
    while (waiting.length > 0) await insertTogether(store, takeNext());
    running = undefined;
  }

  return {
    insert: (plants) =>
      new Promise((resolve, reject) => {
        waiting.push({ plants, resolve, reject });
        running ??= run();
      }),
    async idle() {
      while (running !== undefined) await running;
    },
  };
}

async function insertTogether(store: PlantInserter, inserts: readonly WaitingInsert[]): Promise<void> {
  const [first] = inserts;
  try {
    const plants =
      inserts.length === 1 && first !== undefined ? first.plants : inserts.flatMap((insert) => insert.plants);
    const outcomes = await store.insert(plants);
    let start = 0;
    for (const { plants: own, resolve } of inserts) {
      resolve(outcomes.slice(start, start + own.length));
      start += own.length;
    }
  } catch (error) {
    // Any error but that of the database itself is caused by a plant, which fails the insert that it is in only.
    if (inserts.length > 1 && !(error instanceof ServiceError)) {
      for (const insert of inserts) await insertTogether(store, [insert]);
      return;
    }
    for (const { reject } of inserts) reject(error);
  }
}
