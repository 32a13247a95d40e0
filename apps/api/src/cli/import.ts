import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { hasSameFields } from '@plant-store/contract/fields';
import { messages } from '@plant-store/contract/messages';
import type { Config } from '../config.js';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import type { PlantRecord, PlantStore, StoredPlant } from '../plants/plant-store.js';
import { openDatabase } from '../store/open-database.js';
import { isTombstone, orThrow } from '../store/store.js';
import { abortOnSignal, type CliContext, countProgress } from './cli-context.js';
import { retryWhileUnavailable } from './database.js';
import { isBlank, type PlantLine, readPlantLine, splitLines, toOneLine } from './formats.js';

/** How much longer a line may be than the body of a request: an id sent as `9e18` is exported with all its digits. */
const idDigitsBytes = 64;

/**
 * Stores the plants of a file, or of standard input without one: NDJSON, or CSV or TSV by the name of the file or the format.
 * Invalid lines are reported and skipped.
 *
 * @throws {OperatorError} at the end, when there were invalid lines
 * @throws whatever ends it early, after printing the line to resume from
 */
export async function importPlants(
  config: Config,
  { file, fromLine, format = formatOf(file) }: ImportOptions,
  context: CliContext,
): Promise<void> {
  const command: LineCommand<ImportOutcome> = {
    noun: 'line',
    read: (chunks, limits, signal) =>
      format === 'ndjson'
        ? readBatches(chunks, limits, signal)
        : groupLines(readCsvLines(chunks, format, limits, context), limits),
    store: importRecords,
    explain: findConflict,
    sum: ({ stored, alreadyThere, bad }) => `${stored} imported, ${alreadyThere} already there, ${bad} bad`,
    explainUnfinished: (nextLine) => `Not imported to the end. Go on with: --from-line ${nextLine}`,
    explainBad(bad) {
      const [lines, them] = bad === 1 ? ['line is', 'it'] : ['lines are', 'them'];
      return `${bad} ${lines} bad and changed nothing. Fix ${them} and import the file again: plants already stored are left unchanged.`;
    },
  };
  await storeLines(config, { file, fromLine }, command, context);
}

/** What is imported, and from where on. */
export interface ImportOptions {
  readonly file: string | undefined;
  readonly fromLine: number;
  /** By default that of the file by its name, or NDJSON. */
  readonly format?: ImportFormat | undefined;
}

/** Where lines are from, standard input by default, and the line to begin with. */
interface LineSource {
  readonly file: string | undefined;
  readonly input?: Readable | undefined;
  readonly fromLine: number;
}

/** What a command does with lines, each of which has a plant or a tombstone. */
interface LineCommand<Outcome extends Stored> {
  /** What is numbered. */
  readonly noun: 'line' | 'argument';
  /** Whether the database must exist; otherwise it is created as needed. */
  readonly mustExist?: boolean;
  read(chunks: AsyncIterable<Buffer>, limits: ReadLimits, signal: AbortSignal): AsyncIterable<Batch>;
  /** Stores records, and returns an outcome for each, in their order. It is called again while the database does not answer. */
  store(records: readonly PlantRecord[], plants: PlantStore): Promise<readonly Outcome[]>;
  /** Why a record changed nothing, if that is to be reported. */
  explain(record: PlantRecord, outcome: Outcome): string | undefined;
  sum(counts: Counts): string;
  explainUnfinished(nextLine: number): string;
  explainBad(bad: number): string;
}

/**
 * Stores what lines have, and prints what became of them.
 *
 * @throws {OperatorError} at the end, when there were bad lines
 * @throws whatever ends it early, after printing how to resume
 */
export async function storeLines<Outcome extends Stored>(
  config: Config,
  { file, input: given, fromLine }: LineSource,
  command: LineCommand<Outcome>,
  context: CliContext,
): Promise<void> {
  const { mustExist = false, read, store, explain } = command;
  const signal = abortOnSignal(context);
  const input =
    file === undefined ? (given ?? context.input) : await openInput(resolve(context.folder, file));
  const database = await openDatabase(config.database, { mustExist });
  try {
    const storeRecords = (records: readonly PlantRecord[]) =>
      retryWhileUnavailable(() => store(records, database.plants), signal);
    const limits: ReadLimits = {
      fromLine,
      lineBytes: config.bodyLimitBytes + idDigitsBytes,
      batchLines: config.queueLimits.batchPlants,
      batchBytes: config.queueLimits.batchBytes,
    };
    const size = file === undefined ? undefined : (await stat(resolve(context.folder, file))).size;
    let bytesRead = 0;
    const chunks = readChunks(input, signal, (bytes) => {
      bytesRead += bytes;
    });
    const outcomes = storeBatches(
      storeRecords,
      read(chunks, limits, signal),
      database.concurrentCommits,
      explain,
    );
    const done = () => (size === undefined || size === 0 ? undefined : bytesRead / size);
    const { bad } = await countOutcomes(outcomes, fromLine, signal, context, command, done);
    if (bad > 0) throw new OperatorError(command.explainBad(bad));
  } finally {
    input.destroy();
    await database.close();
  }
}

/** The names of formats, as the option takes them. */
export const importFormats = ['ndjson', 'csv', 'tsv'] as const;
type ImportFormat = (typeof importFormats)[number];

function formatOf(file = ''): ImportFormat {
  return importFormats.find((name) => file.toLowerCase().endsWith(`.${name}`)) ?? 'ndjson';
}

/** The least that is the longest line of CSV: it may have other columns than those of plants. */
const minCsvLength = 2 ** 20;

async function* readCsvLines(
  chunks: AsyncIterable<Buffer>,
  format: 'csv' | 'tsv',
  { lineBytes }: ReadLimits,
  context: CliContext,
): AsyncGenerator<SizedLine> {
  // Loaded only for it.
  const { readCsv } = await import('./read-csv.js');
  const lines = readCsv(chunks, {
    delimiter: format === 'tsv' ? '\t' : undefined,
    maxLength: Math.max(lineBytes, minCsvLength),
    onUnused: (columns) => void context.message(`Not imported: ${columns}`),
  });
  for await (const { number, line, bytes } of lines) yield { number, bytes, ...line };
}

async function openInput(path: string): Promise<Readable> {
  const file = await open(path).catch((error: unknown) => {
    throw cannotRead(error);
  });
  return file.createReadStream();
}

/** The chunks of a stream, until it ends or the signal is aborted. */
async function* readChunks(
  input: Readable,
  signal: AbortSignal,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of addAbortSignal(signal, input)) {
      onRead(chunk.length);
      yield chunk;
    }
  } catch (error) {
    if (!signal.aborted) throw cannotRead(error);
  }
}

function cannotRead(error: unknown): OperatorError {
  return new OperatorError(`The plants cannot be read: ${messageOf(error)}`, { cause: error });
}

/** How many lines there are of each kind, and how many of the bad ones have nothing to store. */
interface Counts {
  readonly stored: number;
  readonly alreadyThere: number;
  readonly bad: number;
  readonly invalid: number;
}

/** Reports each bad line as it is found and, however the command ends, how many lines there were of each kind. */
async function countOutcomes(
  outcomes: AsyncIterable<BatchOutcome>,
  fromLine: number,
  signal: AbortSignal,
  context: CliContext,
  { noun, sum, explainUnfinished }: Pick<LineCommand<Stored>, 'noun' | 'sum' | 'explainUnfinished'>,
  done: () => number | undefined,
): Promise<Counts> {
  const showCount = countProgress(context, `${noun}s`, done);
  const counts = { stored: 0, alreadyThere: 0, bad: 0, invalid: 0, nextLine: fromLine };
  // One line each, whatever characters a reason quotes.
  const describe = ({ number, reason }: BadLine) => `${noun} ${number}: ${toOneLine(reason)}`;
  try {
    for await (const { stored, alreadyThere, badLines, invalid, nextLine } of outcomes) {
      counts.stored += stored;
      counts.alreadyThere += alreadyThere;
      counts.bad += badLines.length;
      counts.invalid += invalid;
      counts.nextLine = nextLine;
      if (badLines.length > 0) await context.message(badLines.map(describe).join('\n'));
      showCount(nextLine - 1);
    }
    signal.throwIfAborted();
    return counts;
  } catch (error) {
    await context.message(explainUnfinished(counts.nextLine));
    throw error;
  } finally {
    context.showProgress('');
    context.print(`${sum(counts)}\n`);
  }
}

/** A line that changed nothing, and why. */
type BadLine = { readonly number: number; readonly reason: string };

/** What became of a record. */
interface Stored {
  readonly stored: boolean;
}

/** What became of a record that is imported, and what has its id if it was not stored. */
interface ImportOutcome extends Stored {
  readonly existing?: PlantRecord;
}

/** The result of a batch that is on disk. */
export interface BatchOutcome {
  readonly stored: number;
  readonly alreadyThere: number;
  /** In ascending order of their numbers. */
  readonly badLines: readonly BadLine[];
  /** How many of these have nothing to store. */
  readonly invalid: number;
  /** The number of the line that follows the batch: all lines before it are done. */
  readonly nextLine: number;
}

/**
 * Stores batches, some of them concurrently, and yields their results in order. Of several plants with the same id the
 * first one in the file is stored: batches that share an id are stored one after the other.
 *
 * @param store as in `LineCommand`, like `explain`
 * @throws what storing a batch throws, once no batch is in flight any more; what reading one throws, after the results of those
 * before it
 */
export async function* storeBatches<Outcome extends Stored>(
  store: StoreRecords<Outcome>,
  batches: AsyncIterable<Batch>,
  concurrentBatches: number,
  explain: LineCommand<Outcome>['explain'],
): AsyncGenerator<BatchOutcome> {
  let failure: { readonly error: unknown } | undefined;
  async function* readToFailure() {
    try {
      yield* batches;
    } catch (error) {
      failure = { error };
    }
  }
  const inFlight: { readonly ids: ReadonlySet<bigint>; readonly outcome: Promise<BatchOutcome> }[] = [];
  try {
    for await (const batch of readToFailure()) {
      const plants = batch.lines.flatMap((line) => ('plant' in line ? line.plant : []));
      const mustWait = () =>
        inFlight.length >= concurrentBatches ||
        inFlight.some(({ ids }) => plants.some(({ id }) => ids.has(id)));
      for (let first = inFlight[0]; first && mustWait(); first = inFlight[0]) {
        yield await first.outcome;
        inFlight.shift();
      }
      const outcome = storeBatch(store, batch, plants, explain);
      // It is awaited later, in order; until then a rejection must not count as unhandled.
      outcome.catch(() => undefined);
      inFlight.push({ ids: new Set(plants.map(({ id }) => id)), outcome });
    }
    for (const { outcome } of inFlight) yield await outcome;
    if (failure !== undefined) throw failure.error;
  } finally {
    await Promise.allSettled(inFlight.map(({ outcome }) => outcome));
  }
}

type StoreRecords<Outcome> = (records: readonly PlantRecord[]) => Promise<readonly Outcome[]>;

async function storeBatch<Outcome extends Stored>(
  store: StoreRecords<Outcome>,
  { lines, nextLine }: Batch,
  records: readonly PlantRecord[],
  explain: LineCommand<Outcome>['explain'],
): Promise<BatchOutcome> {
  const outcomes = records.length === 0 ? [] : await store(records);
  let next = 0;
  const findReason = (line: PlantLine) => {
    if ('reason' in line) return line.reason;
    const outcome = outcomes[next++];
    if (outcome === undefined) throw new Error('The store returned no outcome for a plant');
    return explain(line.plant, outcome);
  };
  const badLines: BadLine[] = [];
  for (const line of lines) {
    const reason = findReason(line);
    if (reason !== undefined) badLines.push({ number: line.number, reason });
  }
  const stored = outcomes.filter((outcome) => outcome.stored).length;
  const alreadyThere = lines.length - stored - badLines.length;
  return { stored, alreadyThere, badLines, invalid: lines.length - records.length, nextLine };
}

/** Stores plants, and removes others, as if one after the other: a plant below the tombstone of its id finds that there. */
export async function importRecords(
  records: readonly PlantRecord[],
  plants: Pick<PlantStore, 'create' | 'remove'>,
): Promise<readonly ImportOutcome[]> {
  const tombstones = new Map<bigint, PlantRecord>();
  const first: StoredPlant[] = [];
  const last: StoredPlant[] = [];
  for (const record of records) {
    if (!isTombstone(record)) (tombstones.has(record.id) ? last : first).push(record);
    else if (!tombstones.has(record.id)) tombstones.set(record.id, record);
  }
  const outcomes = new Map<PlantRecord, ImportOutcome>();
  const keep = (of: Iterable<PlantRecord>, all: readonly ImportOutcome[]) => {
    for (const [at, record] of [...of].entries()) {
      const outcome = all[at];
      if (outcome === undefined) throw new Error('The store returned no outcome for a plant');
      outcomes.set(record, outcome);
    }
  };
  keep(first, (await plants.create(first)).map(orThrow));
  const removed = (await plants.remove([...tombstones.keys()], true)).map(orThrow);
  keep(
    tombstones.values(),
    removed.map((outcome) => ({ stored: outcome === 'removed' })),
  );
  keep(last, (await plants.create(last)).map(orThrow));
  // Of several tombstones with one id the first one has removed it.
  return records.map((record) => outcomes.get(record) ?? { stored: false });
}

/** Why a plant is not stored, if it is not. */
export function findConflict(record: PlantRecord, { existing }: ImportOutcome): string | undefined {
  if (existing === undefined || isTombstone(record)) return undefined;
  if (isTombstone(existing)) return messages.idRetired(record.id);
  return hasSameFields(existing, record) ? undefined : `The id ${record.id} belongs to another plant.`;
}

/** The line to begin with, how long a line may be, and the most that a batch holds. */
export interface ReadLimits {
  readonly fromLine: number;
  readonly lineBytes: number;
  readonly batchLines: number;
  readonly batchBytes: number;
}

type NumberedLine = PlantLine & { readonly number: number };

/** Consecutive lines without the blank ones; at least one. */
export interface Batch {
  readonly lines: readonly NumberedLine[];
  /** The number of the line that follows the last one. */
  readonly nextLine: number;
}

/** Reads what a line has that is not blank. */
type ReadLine = (bytes: Buffer, number: number) => PlantLine;

/**
 * Reads lines in batches.
 *
 * @param signal once aborted, the lines read so far end the last batch
 * @param readLine by default it reads NDJSON, a plant or a tombstone a line
 */
export async function* readBatches(
  chunks: AsyncIterable<Buffer>,
  limits: ReadLimits,
  signal?: AbortSignal,
  readLine: ReadLine = readImportedLine,
): AsyncGenerator<Batch> {
  yield* groupLines(readLines(chunks, limits, readLine, signal), limits);
}

/** A line and its size in bytes. */
type SizedLine = NumberedLine & { readonly bytes: number };

async function* readLines(
  chunks: AsyncIterable<Buffer>,
  { fromLine, lineBytes }: ReadLimits,
  readLine: ReadLine,
  signal: AbortSignal | undefined,
): AsyncGenerator<SizedLine> {
  for await (const { number, bytes } of splitLines(chunks, lineBytes, signal)) {
    if (number < fromLine || (bytes && isBlank(bytes))) continue;
    const tooLong = { reason: `The line is longer than ${lineBytes} bytes.` };
    yield { number, bytes: bytes?.length ?? 0, ...(bytes ? readLine(bytes, number) : tooLong) };
  }
}

/**
 * Groups lines into batches.
 *
 * @throws what reading a line throws, after those before it
 */
async function* groupLines(
  input: AsyncIterable<SizedLine>,
  { fromLine, batchLines, batchBytes }: ReadLimits,
): AsyncGenerator<Batch> {
  let lines: NumberedLine[] = [];
  let total = 0;
  const toBatch = () => ({ lines, nextLine: (lines.at(-1)?.number ?? 0) + 1 });
  try {
    for await (const { bytes, ...line } of input) {
      if (line.number < fromLine) continue;
      if (lines.length === batchLines || (lines.length > 0 && total + bytes > batchBytes)) {
        yield toBatch();
        lines = [];
        total = 0;
      }
      lines.push(line);
      total += bytes;
    }
  } catch (error) {
    if (lines.length > 0) yield toBatch();
    throw error;
  }
  if (lines.length > 0) yield toBatch();
}

/** @throws {OperatorError} when the first line looks like one of CSV or TSV */
function readImportedLine(bytes: Buffer, number: number): PlantLine {
  if (number === 1 && /^\s*[^{\s][^{]*[,;\t]/.test(bytes.toString('latin1', 0, 1_000)))
    throw new OperatorError(
      'This is not NDJSON: its first line looks like one of CSV or TSV. Nothing was imported. Name the format, such as --format csv.',
    );
  return readPlantLine(bytes);
}
