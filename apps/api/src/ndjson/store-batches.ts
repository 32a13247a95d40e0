import type { NewPlant } from '@plant-store/contract';
import { isSamePlant } from '../plants/is-same-plant.js';
import type { InsertOutcome, PlantStore } from '../plants/plant-store.js';
import type { Batch } from './read-batches.js';

/** A line that changed nothing, and why. */
export interface BadLine {
  readonly number: number;
  readonly reason: string;
}

/** What became of a batch, every plant of which is on disk now. */
export interface BatchOutcome {
  readonly imported: number;
  readonly alreadyThere: number;
  /** In the order of their numbers. */
  readonly badLines: readonly BadLine[];
  /** The number of the line that follows the batch: all lines before it are done. */
  readonly nextLine: number;
}

interface BatchUnderWay {
  readonly ids: ReadonlySet<bigint>;
  readonly outcome: Promise<BatchOutcome>;
}

/**
 * Stores batches, some of them at once, and tells in their order what became of each. Of several plants with one id
 * the first of the file wins: batches that share an id are stored one after the other.
 *
 * @param insert see `PlantStore`
 * @param concurrentInserts how many batches are stored at once
 * @throws what reading a batch or storing it throws, once nothing is under way any more
 */
export async function* storeBatches(
  insert: PlantStore['insert'],
  batches: AsyncIterable<Batch>,
  concurrentInserts: number,
): AsyncGenerator<BatchOutcome> {
  const underWay: BatchUnderWay[] = [];
  try {
    for await (const batch of batches) {
      const plants = batch.lines.flatMap((line) => ('plant' in line ? line.plant : []));
      const mustWait = () =>
        underWay.length >= concurrentInserts ||
        underWay.some(({ ids }) => plants.some(({ id }) => ids.has(id)));
      for (let first = underWay[0]; first && mustWait(); first = underWay[0]) {
        yield await first.outcome;
        underWay.shift();
      }
      underWay.push(start(insert, batch, plants));
    }
    for (const { outcome } of underWay) yield await outcome;
  } finally {
    await Promise.allSettled(underWay.map(({ outcome }) => outcome));
  }
}

function start(insert: PlantStore['insert'], batch: Batch, plants: readonly NewPlant[]): BatchUnderWay {
  const outcome = storeBatch(insert, batch, plants);
  // A failure is heard of when its turn comes.
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
    const reason = 'fault' in line ? line.fault : findConflict(line.plant, outcomes[next++]);
    if (reason !== undefined) badLines.push({ number: line.number, reason });
  }
  const imported = outcomes.filter((outcome) => outcome.stored).length;
  return { imported, alreadyThere: lines.length - imported - badLines.length, badLines, nextLine };
}

/** Why a plant is refused; `undefined` for one that is stored, now or before. */
function findConflict(plant: NewPlant, outcome: InsertOutcome | undefined): string | undefined {
  if (outcome === undefined) throw new Error('The store gave no outcome for a plant');
  if (outcome.stored || isSamePlant(outcome.existing, plant)) return undefined;
  return `The id ${plant.id} belongs to another plant.`;
}
