import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import type { Config } from '../config.js';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import type { PlantStore } from '../plants/plant-store.js';
import { limitHeapGrowth, limitYoungGeneration } from '../runtime/v8-flags.js';
import { openDatabase } from '../store/open-database.js';
import type { CliContext } from './cli-context.js';
import { abortOnSignal } from './cli-context.js';
import { countProgress } from './progress.js';
import { type ReadLimits, readBatches } from './read-plant-lines.js';
import { retryWhileUnavailable } from './retry-while-unavailable.js';
import { type BadLine, type BatchOutcome, storeBatches } from './store-batches.js';

/** What is imported: a file, or standard input without one, from which line on. */
export interface ImportSource {
  readonly file: string | undefined;
  readonly fromLine: number;
}

/** How much longer a line may be than the body of a request: an id sent as `9e18` is exported with all its digits. */
const idDigitsBytes = 64;

/**
 * Stores the plants of an NDJSON file. Invalid lines are reported and skipped.
 *
 * @throws {OperatorError} at the end, when there were invalid lines
 * @throws whatever ends it early, after printing the line to resume from
 */
export async function importPlants(
  config: Config,
  { file, fromLine }: ImportSource,
  context: CliContext,
): Promise<void> {
  if (config.fastPath) limitHeapGrowth();
  const signal = abortOnSignal(context);
  const input = file === undefined ? context.input : await openInput(resolve(context.folder, file));
  const database = await openDatabase(config.database);
  try {
    const insert: PlantStore['insert'] = (plants) => {
      // Before each insert: the first may start a thread, which resets it.
      if (config.fastPath) limitYoungGeneration();
      return retryWhileUnavailable(() => database.plants.insert(plants), signal);
    };
    const { batchFactor, concurrentBatches } = database.bulk;
    const limits = toLimits(config, fromLine, batchFactor);
    const batches = readBatches(readChunks(input, signal), limits, signal);
    const outcomes = storeBatches(insert, batches, concurrentBatches);
    const { badLines } = await countOutcomes(outcomes, fromLine, signal, context);
    if (badLines > 0) throw new OperatorError(describeBadLines(badLines));
  } finally {
    input.destroy();
    await database.close();
  }
}

function toLimits(
  { bodyLimitBytes, batcherLimits }: Config,
  fromLine: number,
  batchFactor: number,
): ReadLimits {
  return {
    fromLine,
    lineBytes: bodyLimitBytes + idDigitsBytes,
    batchLines: batchFactor * batcherLimits.batchPlants,
    batchBytes: batcherLimits.batchBytes,
  };
}

async function openInput(path: string): Promise<Readable> {
  try {
    return (await open(path)).createReadStream();
  } catch (error) {
    throw cannotRead(error);
  }
}

/** The chunks of a stream, until it ends or the signal is aborted. */
async function* readChunks(input: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* addAbortSignal(signal, input);
  } catch (error) {
    if (!signal.aborted) throw cannotRead(error);
  }
}

function cannotRead(error: unknown): OperatorError {
  return new OperatorError(`The plants cannot be read: ${messageOf(error)}`, { cause: error });
}

/** Reports each invalid line as it is found and, however the import ends, how many lines there were of each kind. */
async function countOutcomes(
  outcomes: AsyncIterable<BatchOutcome>,
  fromLine: number,
  signal: AbortSignal,
  context: CliContext,
): Promise<{ readonly badLines: number }> {
  const showCount = countProgress(context, 'lines');
  const counts = { imported: 0, alreadyThere: 0, badLines: 0, nextLine: fromLine };
  try {
    for await (const { imported, alreadyThere, badLines, nextLine } of outcomes) {
      counts.imported += imported;
      counts.alreadyThere += alreadyThere;
      counts.badLines += badLines.length;
      counts.nextLine = nextLine;
      if (badLines.length > 0) await context.message(badLines.map(describeBadLine).join('\n'));
      showCount(nextLine - 1);
    }
    signal.throwIfAborted();
    return counts;
  } catch (error) {
    await context.message(`Not imported to the end. Go on with: --from-line ${counts.nextLine}`);
    throw error;
  } finally {
    context.showProgress('');
    context.print(
      `${counts.imported} imported, ${counts.alreadyThere} already there, ${counts.badLines} bad\n`,
    );
  }
}

/** One line, whatever characters the reason quotes. */
function describeBadLine({ number, reason }: BadLine): string {
  const quoted = reason.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `line ${number}: ${quoted}`;
}

function describeBadLines(count: number): string {
  const [lines, them] = count === 1 ? ['line is', 'it'] : ['lines are', 'them'];
  return `${count} ${lines} bad and changed nothing. Fix ${them} and import the file again: plants already stored are left unchanged.`;
}
