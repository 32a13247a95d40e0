import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import type { Config } from '../config.js';
import { openDatabase } from '../database/open-database.js';
import { OperatorError } from '../errors/operator-error.js';
import { type ReadLimits, readBatches } from '../ndjson/read-batches.js';
import { type BadLine, type BatchOutcome, storeBatches } from '../ndjson/store-batches.js';
import type { PlantStore } from '../plants/plant-store.js';
import { retryWhileUnavailable } from '../plants/retry-while-unavailable.js';
import { limitHeapGrowth, limitYoungGeneration } from '../runtime/v8-flags.js';
import { abortOnSignal } from './support/abort-on-signal.js';
import type { CliContext } from './support/cli-context.js';
import { countProgress } from './support/count-progress.js';
import { orExplainUnavailable, retryPolicy } from './support/retry-policy.js';

/** What is imported: a file, or standard input without one, and the line to begin with. */
export interface ImportSource {
  readonly file: string | undefined;
  readonly fromLine: number;
}

/** How much longer a line may be than the body of a request: an id sent as `9e18` is exported in full. */
const numberInFullBytes = 64;

/**
 * Stores the plants of a file of NDJSON. A bad line is told and changes nothing; the rest is stored.
 *
 * @throws {OperatorError} in the end when there was a bad line
 * @throws whatever ends it early, after telling the line to go on with
 */
export async function importPlants(
  config: Config,
  { file, fromLine }: ImportSource,
  context: CliContext,
): Promise<void> {
  limitHeapGrowth();
  const stop = abortOnSignal(context);
  const input = file === undefined ? context.input : await openInput(resolve(context.folder, file));
  const database = await openDatabase(config.database);
  try {
    const insert: PlantStore['insert'] = (plants) => {
      // At each, since the first one may start a thread.
      limitYoungGeneration();
      return retryWhileUnavailable(() => database.plants.insert(plants), retryPolicy, stop);
    };
    const batches = readBatches(readChunks(input, stop), toLimits(config, fromLine), stop);
    const outcomes = storeBatches(insert, batches, database.concurrentInserts);
    const { badLines } = await orExplainUnavailable(() => tallyUp(outcomes, fromLine, stop, context));
    if (badLines > 0) throw new OperatorError(describeBadLines(badLines));
  } finally {
    input.destroy();
    await database.close();
  }
}

function toLimits({ bodyLimitBytes, batcherLimits }: Config, fromLine: number): ReadLimits {
  return {
    fromLine,
    lineBytes: bodyLimitBytes + numberInFullBytes,
    batchLines: batcherLimits.batchPlants,
    batchBytes: batcherLimits.batchBytes,
  };
}

async function openInput(path: string): Promise<Readable> {
  try {
    return (await open(path)).createReadStream();
  } catch (error) {
    throw unreadable(error);
  }
}

/** The chunks of a stream, until it ends or is told to stop. */
async function* readChunks(input: Readable, stop: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* addAbortSignal(stop, input);
  } catch (error) {
    if (!stop.aborted) throw unreadable(error);
  }
}

function unreadable(error: unknown): OperatorError {
  const reason = error instanceof Error ? error.message : String(error);
  return new OperatorError(`The plants cannot be read: ${reason}`, { cause: error });
}

/** Tells each bad line as it comes, and in the end, however that comes, how many there were of each kind. */
async function tallyUp(
  outcomes: AsyncIterable<BatchOutcome>,
  fromLine: number,
  stop: AbortSignal,
  context: CliContext,
): Promise<{ readonly badLines: number }> {
  const showCount = countProgress(context, 'lines');
  const tally = { imported: 0, alreadyThere: 0, badLines: 0, nextLine: fromLine };
  try {
    for await (const { imported, alreadyThere, badLines, nextLine } of outcomes) {
      tally.imported += imported;
      tally.alreadyThere += alreadyThere;
      tally.badLines += badLines.length;
      tally.nextLine = nextLine;
      if (badLines.length > 0) await context.remark(badLines.map(describeBadLine).join('\n'));
      showCount(nextLine - 1);
    }
    stop.throwIfAborted();
    return tally;
  } catch (error) {
    await context.remark(`Not imported to the end. Go on with: --from-line ${tally.nextLine}`);
    throw error;
  } finally {
    context.showProgress('');
    context.print(`${tally.imported} imported, ${tally.alreadyThere} already there, ${tally.badLines} bad\n`);
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
  return `${count} ${lines} bad and changed nothing. Mend ${them} and import the file again: what is there already stays as it is.`;
}
