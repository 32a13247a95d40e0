import type { NewPlant } from '@plant-store/contract';
import { isSamePlant } from '../plants/create-plant.js';
import type { InsertOutcome, PlantStore } from '../plants/plant-store.js';
import type { Batch } from './read-plant-lines.js';

/** A line that was not stored, and why. */
export interface BadLine {
  readonly number: number;
  readonly reason: string;
}

/** The result of a batch whose plants are on disk. */
export interface BatchOutcome {
  readonly imported: number;
  readonly alreadyThere: number;
  /** In ascending order of their numbers. */
  readonly badLines: readonly BadLine[];
  /** The number of the line that follows the batch: all lines before it are done. */
  readonly nextLine: number;
}

interface InFlightBatch {
  readonly ids: ReadonlySet<bigint>;
  readonly outcome: Promise<BatchOutcome>;
}

/**
 * Stores batches, some of them concurrently, and yields their results in order. Of several plants with the same id the
 * first one in the file is stored: batches that share an id are stored one after the other.
 *
 * @param insert see `PlantStore`
 * @param concurrentInserts how many batches may be in flight
 * @throws what reading or storing a batch throws, once no batch is in flight any more
 */
export async function* storeBatches(
  insert: PlantStore['insert'],
  batches: AsyncIterable<Batch>,
  concurrentInserts: number,
): AsyncGenerator<BatchOutcome> {
  const inFlight: InFlightBatch[] = [];
  try {
    for await (const batch of batches) {
      const plants = batch.lines.flatMap((line) => ('plant' in line ? line.plant : []));
      const mustWait = () =>
        inFlight.length >= concurrentInserts ||
        inFlight.some(({ ids }) => plants.some(({ id }) => ids.has(id)));
      for (let first = inFlight[0]; first && mustWait(); first = inFlight[0]) {
        yield await first.outcome;
        inFlight.shift();
      }
      inFlight.push(start(insert, batch, plants));
    }
    for (const { outcome } of inFlight) yield await outcome;
  } finally {
    await Promise.allSettled(inFlight.map(({ outcome }) => outcome));
  }
}

function start(insert: PlantStore['insert'], batch: Batch, plants: readonly NewPlant[]): InFlightBatch {
  const outcome = storeBatch(insert, batch, plants);
  // It is awaited later, in order; until then a rejection must not count as unhandled.
  outcome.catch(() => undefined);
  return { ids: new Set(plants.map(({ id }) => id)), outcome };
}

async function storeBatch(
  insert: PlantStore['insert'],
  { lines, nextLine }: Batch,
  plants: readonly NewPlant[],
): Promise<BatchOutcome> {
  const outcomes = plants.length === 0 ? [] : await insert(plants);
  const badLines: BadLine[] = [];
  let next = 0;
  for (const line of lines) {
    const reason = 'reason' in line ? line.reason : findConflict(line.plant, outcomes[next++]);
    if (reason !== undefined) badLines.push({ number: line.number, reason });
  }
  const imported = outcomes.filter((outcome) => outcome.stored).length;
  return { imported, alreadyThere: lines.length - imported - badLines.length, badLines, nextLine };
}

/** Why a plant is not stored; `undefined` for one that is, now or earlier. */
function findConflict(plant: NewPlant, outcome: InsertOutcome | undefined): string | undefined {
  if (outcome === undefined) throw new Error('The store returned no outcome for a plant');
  if (outcome.stored || isSamePlant(outcome.existing, plant)) return undefined;
  return `The id ${plant.id} belongs to another plant.`;
}
