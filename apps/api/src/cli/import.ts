import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import type { Plant } from '@plant-store/contract';
import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import { hasSameFields } from '@plant-store/contract/fields';
import { type Change, isTombstone, removalOf } from '@plant-store/records';
import type { Config } from '../config.js';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import { isReplay } from '../plants/create-plant.js';
import {
  type CreatePlantOutcome,
  type PlantRecord,
  type PlantStore,
  plantTable,
  type StoredPlant,
} from '../plants/plant-store.js';
import { type FileKind, recognizeFile } from '../store/file-kind.js';
import { orThrow } from '../store/store.js';
import { abortOnSignal, type CliContext, countProgress } from './cli-context.js';
import { retryWhileUnavailable, withDatabase } from './database.js';
import { explainUnreadable, quote } from './file-access.js';
import { isBlank, type PlantLine, readPlantLine, splitLines } from './formats.js';
import { type JsonOption, reportOutcome } from './json-output.js';

/** What is imported, and from where on. */
export interface ImportOptions extends JsonOption {
  /** Standard input by default. */
  readonly file: string | undefined;
  readonly fromLine: number;
  /** By default that of the file by its name, or NDJSON. */
  readonly format?: ImportFormat | undefined;
  /** Whether ids of deleted plants are given to the plants of the file. */
  readonly reuseDeletedIds?: boolean;
}

export const importFormats = ['ndjson', 'csv', 'tsv'] as const;
type ImportFormat = (typeof importFormats)[number];

function formatOf(file = ''): ImportFormat {
  return importFormats.find((name) => file.toLowerCase().endsWith(`.${name}`)) ?? 'ndjson';
}

/**
 * Stores the plants of a file. Invalid lines are reported and skipped.
 *
 * @throws {OperatorError} at the end, when there were invalid lines
 * @throws whatever ends it early, after printing the line to resume from
 */
export async function importPlants(
  config: Config,
  { file, fromLine, format = formatOf(file), reuseDeletedIds = false, json }: ImportOptions,
  context: CliContext,
): Promise<void> {
  const command: LineCommand = {
    noun: 'line',
    read: (chunks, limits, signal) =>
      format === 'ndjson'
        ? readBatches(checkStart(chunks, format), limits, signal)
        : groupLines(readCsvLines(checkStart(chunks, format), format, limits, context), limits),
    store: (rows, plants) => importRecords(rows, plants, reuseDeletedIds),
    sum: ({ stored, alreadyThere, bad, nextLine }) => ({
      outcome: { imported: stored, alreadyThere, bad, nextLine },
      words: `${stored} imported, ${alreadyThere} already there, ${bad} bad`,
    }),
    explainUnfinished: (nextLine) => `Not imported to the end. Go on with: --from-line ${nextLine}`,
    explainBad(bad) {
      const [lines, them] = bad === 1 ? ['line is', 'it'] : ['lines are', 'them'];
      return `${bad} ${lines} bad and changed nothing. Fix ${them} and import the file again: plants already stored are left unchanged.`;
    },
  };
  await storeLines(config, { file, fromLine, json }, command, context);
}

/** Passes on chunks. @throws {OperatorError} when the first one shows that the file is not what its name says */
async function* checkStart(chunks: AsyncIterable<Buffer>, format: ImportFormat): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst) {
      const problem = explainContent(chunk, format);
      if (problem !== undefined)
        throw new OperatorError(`${problem.what}. Nothing was imported. ${problem.advice}`);
    }
    isFirst = false;
    yield chunk;
  }
}

/** What the content is, and what to do. The advice comes last, because it may end in a command to copy. */
function explainContent(start: Buffer, format: ImportFormat): FileKind | undefined {
  const kind = recognizeFile(start);
  if (kind !== undefined) return { ...kind, what: `The file is ${kind.what}` };
  const text = start.toString('utf8', 0, 1_000).replace('\uFEFF', '');
  if (/^\s*\[\s*(\{|\]|$)/.test(text))
    return {
      what: 'The file is a JSON array',
      advice: `Write one object on each line. Use jq 1.7 or later, because older versions round ids: jq -c '.[]' plants.json | plant-store import`,
    };
  if (format !== 'ndjson' && /^\s*\{/.test(text))
    return {
      what: 'This is not CSV: its first line looks like NDJSON',
      advice: 'Name the format: --format ndjson.',
    };
  if (format === 'ndjson' && /^(\xff\xfe|\xfe\xff)/.test(start.toString('latin1', 0, 2)))
    return {
      what: 'The file is in UTF-16',
      advice: 'Convert it: iconv -f UTF-16 -t UTF-8 plants.ndjson | plant-store import',
    };
  return undefined;
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
  yield* readCsv(chunks, {
    delimiter: format === 'tsv' ? '\t' : undefined,
    maxLength: Math.max(lineBytes, minCsvLength),
    onUnused: (columns) => void context.message(`Not imported: ${columns}`),
  });
}

/** What a command does with lines, each of which has a plant or a tombstone. */
interface LineCommand {
  /** What is numbered. */
  readonly noun: 'line' | 'argument';
  /** Whether the database must exist; otherwise it is created as needed. */
  readonly mustExist?: boolean;
  read(chunks: AsyncIterable<Buffer>, limits: ReadLimits, signal: AbortSignal): AsyncIterable<Batch>;
  readonly store: StoreRows;
  /** What was done, for programs and for people. */
  sum(counts: Counts): { readonly outcome: object; readonly words: string };
  explainUnfinished(nextLine: number): string;
  explainBad(bad: number): string;
}

/** Stores plants and tombstones, and returns an outcome for each. It is called again while the database does not answer. */
type StoreRows = (rows: readonly PlantRecord[], plants: PlantStore) => Promise<readonly RowOutcome[]>;

/** What became of a plant or tombstone: whether it changed anything, and why not if that is to be reported. */
export interface RowOutcome {
  readonly stored: boolean;
  readonly problem?: string | undefined;
}

/** How many lines there are of each kind, how many of the bad ones have nothing to store, and the number of the line after them. */
interface Counts {
  readonly stored: number;
  readonly alreadyThere: number;
  readonly bad: number;
  readonly invalid: number;
  readonly nextLine: number;
}

/** How much longer a line may be than the body of a request: an id sent as `9e18` is exported with all its digits. */
const idDigitsBytes = 64;

/**
 * Stores what lines have. It reports each bad line as it is found and, however it ends, how many lines there were of each kind.
 *
 * @param source a file, or a stream, by default standard input, and the line to begin with
 * @throws {OperatorError} at the end, when there were bad lines
 * @throws whatever ends it early, after printing how to resume
 */
export async function storeLines(
  config: Config,
  source: JsonOption & {
    readonly file: string | undefined;
    readonly input?: Readable;
    readonly fromLine: number;
  },
  command: LineCommand,
  context: CliContext,
): Promise<void> {
  const { fromLine } = source;
  const { noun, mustExist = false, read, store } = command;
  const { batchPlants: batchLines, batchBytes } = config.queueLimits;
  const limits = { fromLine, lineBytes: config.bodyLimitBytes + idDigitsBytes, batchLines, batchBytes };
  const signal = abortOnSignal(context);
  const file =
    source.file === undefined ? undefined : await openFile(resolve(context.folder, source.file), context);
  const input = file?.stream ?? source.input ?? context.input;
  let bytesRead = 0;
  const chunks = readChunks(input, signal, (bytes) => {
    bytesRead += bytes;
  });
  const showCount = countProgress(context, `${noun}s`, () =>
    file?.size ? bytesRead / file.size : undefined,
  );
  const counts = { stored: 0, alreadyThere: 0, bad: 0, invalid: 0 };
  try {
    await withDatabase(config, { mustExist }, async ({ stores: { plant: plants }, concurrentCommits }) => {
      const storeRows = (rows: readonly PlantRecord[]) =>
        retryWhileUnavailable(() => store(rows, plants), signal);
      const batches = read(chunks, limits, signal);
      let next = fromLine;
      try {
        for await (const batch of storeBatches(storeRows, batches, concurrentCommits)) {
          const { badLines, nextLine } = batch;
          counts.stored += batch.stored;
          counts.alreadyThere += batch.alreadyThere;
          counts.bad += badLines.length;
          counts.invalid += batch.invalid;
          next = nextLine;
          // One line each, whatever characters a reason quotes.
          const report = badLines.map(
            ({ number, reason }) => `${noun} ${number}: ${escapeInvisible(reason, 'escapes', 'writing')}`,
          );
          if (report.length > 0) await context.message(report.join('\n'));
          showCount(nextLine - 1);
        }
        signal.throwIfAborted();
      } catch (error) {
        // Otherwise the same command starts over.
        if (next !== fromLine) await context.message(command.explainUnfinished(next));
        throw error;
      } finally {
        context.showProgress('');
        const { outcome, words } = command.sum({ ...counts, nextLine: next });
        await reportOutcome(context, source, outcome, words);
      }
    });
  } finally {
    input.destroy();
  }
  if (counts.bad > 0) throw new OperatorError(command.explainBad(counts.bad));
}

async function openFile(
  path: string,
  { folder }: CliContext,
): Promise<{ readonly stream: Readable; readonly size: number }> {
  try {
    const file = await open(path);
    const { size } = await file.stat();
    return { stream: file.createReadStream(), size };
  } catch (error) {
    throw cannotRead(error, explainUnreadable(error, quote(path), folder));
  }
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

function cannotRead(error: unknown, advice = ''): OperatorError {
  return new OperatorError(`The plants cannot be read: ${messageOf(error)}${advice}`, { cause: error });
}

/** The result of a batch that is on disk. */
export interface BatchOutcome {
  readonly stored: number;
  readonly alreadyThere: number;
  /** Those that changed nothing, in ascending order of their numbers. */
  readonly badLines: readonly { readonly number: number; readonly reason: string }[];
  /** How many of these have nothing to store. */
  readonly invalid: number;
  /** The number of the line that follows the batch: all lines before it are done. */
  readonly nextLine: number;
}

/**
 * Stores batches, some of them concurrently, and yields their results in order. Of several plants with the same id the
 * first one in the file is stored: batches that share an id are stored one after the other.
 *
 * @param store as in `LineCommand`
 * @throws what storing a batch throws, once no batch is in flight any more; what reading one throws, after the results of those
 * before it
 */
export async function* storeBatches(
  store: (rows: readonly PlantRecord[]) => Promise<readonly RowOutcome[]>,
  batches: AsyncIterable<Batch>,
  concurrentBatches: number,
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
      const plants = batch.flatMap((line) => ('plant' in line ? line.plant : []));
      const mustWait = () =>
        inFlight.length >= concurrentBatches ||
        inFlight.some(({ ids }) => plants.some(({ id }) => ids.has(id)));
      for (let first = inFlight[0]; first && mustWait(); first = inFlight[0]) {
        yield await first.outcome;
        inFlight.shift();
      }
      const outcome = storeBatch(batch, plants, store);
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

async function storeBatch(
  lines: Batch,
  rows: readonly PlantRecord[],
  store: (rows: readonly PlantRecord[]) => Promise<readonly RowOutcome[]>,
): Promise<BatchOutcome> {
  const outcomes = rows.length === 0 ? [] : await store(rows);
  let next = 0;
  const badLines = lines.flatMap((line) => {
    const reason = 'reason' in line ? line.reason : requireOutcome(outcomes[next++]).problem;
    return reason === undefined ? [] : { number: line.number, reason };
  });
  const stored = outcomes.filter((outcome) => outcome.stored).length;
  return {
    stored,
    alreadyThere: lines.length - stored - badLines.length,
    badLines,
    invalid: lines.length - rows.length,
    nextLine: (lines.at(-1)?.number ?? 0) + 1,
  };
}

function requireOutcome<Outcome>(outcome: Outcome | undefined): Outcome {
  if (outcome === undefined) throw new Error('The store returned no outcome for a plant');
  return outcome;
}

/**
 * Stores plants, and removes others, as if one after the other: a plant below the tombstone of its id finds that there.
 *
 * @param reuseDeletedIds whether such a plant is given the id
 */
export async function importRecords(
  records: readonly PlantRecord[],
  plants: Pick<PlantStore, 'create' | 'change'>,
  reuseDeletedIds = false,
): Promise<readonly RowOutcome[]> {
  const tombstones = new Map<bigint, PlantRecord>();
  const first: StoredPlant[] = [];
  const last: StoredPlant[] = [];
  for (const record of records) {
    if (!isTombstone(record)) (tombstones.has(record.id) ? last : first).push(record);
    else if (!tombstones.has(record.id)) tombstones.set(record.id, record);
  }
  const outcomes = new Map<PlantRecord, RowOutcome>();
  const create = async (created: readonly StoredPlant[]) => {
    const results = (await plants.create(created)).map(orThrow);
    const completions = created.flatMap((plant, at) => {
      const result = requireOutcome(results[at]);
      outcomes.set(plant, toRowOutcome(plant, result));
      const isRetired = !result.stored && isTombstone(result.existing);
      return (isRetired && reuseDeletedIds) || plant.original !== undefined ? [completionOf(plant)] : [];
    });
    if (completions.length === 0) return;
    const completed = await plants.change(completions);
    for (const [at, { plant }] of completions.entries()) {
      const { before, after } = orThrow(requireOutcome(completed[at]));
      if (after !== undefined) outcomes.set(plant, { stored: true });
      // Another one of the file may have been given the id before it.
      else if (before !== undefined && !outcomes.get(plant)?.stored)
        outcomes.set(plant, toRowOutcome(plant, { stored: false, existing: before }));
    }
  };
  await create(first);
  const removals = [...tombstones.keys()].map((id) => removalOf<Plant>(id, true));
  const removed = removals.length === 0 ? [] : await plants.change(removals);
  for (const [at, tombstone] of [...tombstones.values()].entries())
    outcomes.set(tombstone, { stored: orThrow(requireOutcome(removed[at])).after !== undefined });
  await create(last);
  // Of several tombstones with one id the first one has removed it.
  return records.map((record) => outcomes.get(record) ?? { stored: false });

  /** Gives the id of a deleted plant to one of the file, or adds to that what it was created as, which a create does not store. */
  function completionOf(plant: StoredPlant): Change<Plant> & { readonly plant: StoredPlant } {
    const given = { ...plant, addedAt: plant.addedAt === undefined ? Date.now() : plant.addedAt };
    return {
      ...{ plant, id: plant.id, bytes: plantTable.bytesOf(plant) },
      replace(existing) {
        if (existing === undefined) return undefined;
        if (isTombstone(existing)) return reuseDeletedIds ? given : undefined;
        const lacksOriginal = existing.original === undefined && hasSameFields(existing, plant);
        return lacksOriginal && plant.original !== undefined
          ? { ...existing, original: plant.original }
          : undefined;
      },
    };
  }
}

const idRetired = (id: bigint) =>
  `The id ${id} was that of a plant that was deleted. Choose another id, or import with --reuse-deleted-ids.`;

/** What became of a plant, and why it is not there, if it is not. */
export function toRowOutcome(plant: StoredPlant, outcome: CreatePlantOutcome): RowOutcome {
  if (outcome.stored) return { stored: true };
  const { existing } = outcome;
  if (isTombstone(existing)) return { stored: false, problem: idRetired(plant.id) };
  // Of one that both have updated, each in its way, both have what it was created as.
  const isSame =
    hasSameFields(existing, plant) ||
    (plant.original === undefined ? isReplay(existing, plant) : existing.original === plant.original);
  return { stored: false, problem: isSame ? undefined : `The id ${plant.id} belongs to another plant.` };
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
export type Batch = readonly NumberedLine[];

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
  try {
    for await (const { bytes, ...line } of input) {
      if (line.number < fromLine) continue;
      if (lines.length === batchLines || (lines.length > 0 && total + bytes > batchBytes)) {
        yield lines;
        lines = [];
        total = 0;
      }
      lines.push(line);
      total += bytes;
    }
  } catch (error) {
    if (lines.length > 0) yield lines;
    throw error;
  }
  if (lines.length > 0) yield lines;
}

/** @throws {OperatorError} when the first line looks like one of CSV or TSV */
function readImportedLine(bytes: Buffer, number: number): PlantLine {
  if (number === 1 && /^\s*[^{\s][^{]*[,;\t]/.test(bytes.toString('latin1', 0, 1_000)))
    throw new OperatorError(
      'This is not NDJSON: its first line looks like one of CSV or TSV. Nothing was imported. Name the format, such as --format csv.',
    );
  return readPlantLine(bytes);
}
