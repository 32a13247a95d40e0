import { open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import type { ImportedFile } from '@plant-store/contract/operations';
import { capitalize } from '@plant-store/contract/resource';
import {
  type Change,
  type CreateOutcome,
  isTombstone,
  removalOf,
  type Stored,
  type StoredRecord,
  withoutTombstones,
} from '@plant-store/records';
import type { Config } from '../config.js';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import { operator } from '../runtime/operator.js';
import type { Database } from '../store/database.js';
import { type FileKind, recognizeFile } from '../store/file-kind.js';
import type { RecordStore } from '../store/store.js';
import { abortOnSignal, type CliContext, type JsonOption, reportOutcome } from './cli-context.js';
import { retryWhileUnavailable, storeOf, withDatabase } from './database.js';
import { explainUnreadable, quote } from './file-access.js';
import {
  isBlank,
  type RecordLine,
  type RecordType,
  type RecordTypes,
  readRecordLine,
  splitLines,
} from './formats.js';
import { countProgress } from './progress.js';

export interface ImportOptions extends JsonOption {
  /** The file's path; by default standard input. */
  readonly file: string | undefined;
  readonly fromLine: number;
  /** By default inferred from the file extension, otherwise NDJSON. */
  readonly format?: ImportFormat | undefined;
  readonly reuseDeletedIds?: boolean;
  /** The only resource to import. Default: all resources. */
  readonly onlyType?: RecordType | undefined;
}

export const importFormats = ['ndjson', 'csv', 'tsv'] as const;
type ImportFormat = (typeof importFormats)[number];

/**
 * Stores the records from a file. Invalid lines are reported and skipped.
 *
 * @throws {OperatorError} at the end, if there were invalid lines
 * @throws whatever ends the import early, after printing the line to resume from
 */
export async function importRecords(
  config: Config,
  types: RecordTypes,
  { file, fromLine, format: named, reuseDeletedIds = false, onlyType, json }: ImportOptions,
  context: CliContext,
): Promise<void> {
  const extension = file?.toLowerCase().split('.').at(-1);
  const format = named ?? importFormats.find((name) => name === extension) ?? 'ndjson';
  const command: LineCommand = {
    noun: 'line',
    async *read(chunks, limits, signal) {
      const checked = checkStart(chunks, format, fromLine);
      if (format === 'ndjson')
        return yield* readBatches(checked, limits, (bytes) => readRecordLine(bytes, types, onlyType), signal);
      // Loaded only for CSV and TSV.
      const { readCsv } = await import('./read-csv.js');
      const lines = readCsv(checked, {
        types,
        onlyType,
        delimiter: format === 'tsv' ? '\t' : undefined,
        maxLength: Math.max(limits.lineBytes, minCsvLength),
        onUnused: (columns) => void context.message(`Not imported: ${columns}`),
      });
      yield* groupLines(lines, limits);
    },
    store: (records, store, { operations }) => storeRecords(records, store, operations, reuseDeletedIds),
    summarize: ({ stored, alreadyThere, bad, nextLine }) => ({
      outcome: { imported: stored, alreadyThere, bad, nextLine },
      words: `${stored} imported, ${alreadyThere} already there, ${bad} bad`,
    }),
    audit: ({ stored, alreadyThere, bad }, complete) => ({
      ...(file !== undefined && { name: basename(file) }),
      resources: (onlyType === undefined ? types : [onlyType]).map(({ resource }) => resource.plural),
      imported: stored,
      alreadyThere,
      bad,
      complete,
    }),
    explainUnfinished: (nextLine) => `Not everything was imported. Resume with: --from-line ${nextLine}`,
    explainBad(bad) {
      const [lines, them] = bad === 1 ? ['line was', 'it'] : ['lines were', 'them'];
      return `${bad} ${lines} invalid and skipped. Fix ${them} and import the file again. Records that are already stored will not be changed.`;
    },
  };
  await storeLines(config, { file, fromLine, json }, command, context);
}

/**
 * Passes chunks through.
 *
 * @throws {OperatorError} if the first chunk does not match the format
 */
async function* checkStart(
  chunks: AsyncIterable<Buffer>,
  format: ImportFormat,
  fromLine: number,
): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst) {
      const problem = explainContent(chunk, format, fromLine);
      if (problem !== undefined)
        throw new OperatorError(`${problem.what}. Nothing was imported. ${problem.advice}`);
    }
    isFirst = false;
    yield chunk;
  }
}

/**
 * Explains what is wrong with a file's start, and what to do; `undefined` if nothing is wrong. The advice is printed last, because it can
 * end with a command to copy.
 */
function explainContent(start: Buffer, format: ImportFormat, fromLine: number): FileKind | undefined {
  const kind = recognizeFile(start);
  if (kind !== undefined) return { ...kind, what: `The file is ${kind.what}` };
  const text = start.toString('utf8', 0, 1_000).replace('\uFEFF', '');
  if (/^\s*\[\s*(\{|\]|$)/.test(text))
    return {
      what: 'The file is a JSON array',
      advice: `Write one object per line. Use jq 1.7 or later, because older versions round IDs: jq -c '.[]' records.json | plant-store import`,
    };
  if (format !== 'ndjson' && /^\s*\{/.test(text))
    return {
      what: 'The file is not CSV: its first line looks like NDJSON',
      advice: 'Specify the format with --format ndjson.',
    };
  const [firstLine = ''] = text.split('\n', 1);
  // An import that begins at a later line always skips the first line.
  if (format === 'ndjson' && fromLine === 1 && /^\s*[^{\s][^{]*[,;\t]/.test(firstLine))
    return {
      what: 'The file is not NDJSON: its first line looks like CSV or TSV',
      advice: 'Specify the format, such as --format csv.',
    };
  if (format === 'ndjson' && /^(\xff\xfe|\xfe\xff)/.test(start.toString('latin1', 0, 2)))
    return {
      what: 'The file is encoded in UTF-16',
      advice: 'Convert it: iconv -f UTF-16 -t UTF-8 records.ndjson | plant-store import',
    };
  return undefined;
}

/** The minimum limit for a CSV line, in characters. A line can have more columns than a record has fields. */
const minCsvLength = 2 ** 20;

/** How a command processes lines. Each line contains a record or a tombstone. */
interface LineCommand {
  /** What the line numbers in messages refer to. */
  readonly noun: 'line' | 'argument';
  readonly mustExist?: boolean;
  read(chunks: AsyncIterable<Buffer>, limits: ReadLimits, signal: AbortSignal): AsyncIterable<Batch>;
  readonly store: StoreRecords;
  /** Summarizes what was done, for programs and for people. */
  summarize(counts: Counts): { readonly outcome: object; readonly words: string };
  audit?(counts: Counts, complete: boolean): ImportedFile;
  explainUnfinished(nextLine: number): string;
  explainBad(bad: number): string;
}

/** Stores records and tombstones of one resource, and returns an outcome for each. Called again while the database does not respond. */
type StoreRecords = (
  records: readonly StoredRecord<object>[],
  store: RecordStore<object>,
  type: RecordType,
) => Promise<readonly RowOutcome[]>;

/** The result of a row: whether it changed anything, and the problem to report, if any. */
interface RowOutcome {
  readonly stored: boolean;
  readonly problem?: string | undefined;
}

/** The number of lines of each kind. `bad` includes the `invalid` lines. `nextLine` is the number of the first unprocessed line. */
interface Counts {
  readonly stored: number;
  readonly alreadyThere: number;
  readonly bad: number;
  readonly invalid: number;
  readonly nextLine: number;
}

/** How many bytes longer than a request body a line can be. An ID sent as `9e18` is exported with all its digits. */
const idDigitsBytes = 64;

/**
 * Stores the records from lines. Reports each bad line as it is found and, even after an error, how many lines of each kind there were.
 *
 * @param source a file, or a stream (by default standard input), and the line to begin with
 * @throws {OperatorError} at the end, if there were bad lines
 * @throws whatever ends the command early, after printing how to resume
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
  const { noun, mustExist = false } = command;
  const { batchRecords: batchLines, batchBytes } = config.queueLimits;
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
  let counts: Counts = { stored: 0, alreadyThere: 0, bad: 0, invalid: 0, nextLine: fromLine };
  const hasBegun = () => counts.nextLine !== fromLine;
  let isComplete = false;
  const addToAudit = async ({ audit }: Database) => {
    const imported = command.audit?.(counts, isComplete);
    if (imported === undefined) return;
    const entry = { at: Date.now(), by: operator(), action: 'imported', about: { file: imported } } as const;
    if (isComplete) return retryWhileUnavailable(() => audit.add(entry), signal);
    if (hasBegun())
      await audit.add(entry).catch(() => context.message('The audit log has no entry for this import.'));
  };
  try {
    await withDatabase(config, { mustExist }, async (database) => {
      const store: StoreRows = (records, type) =>
        retryWhileUnavailable(() => command.store(records, storeOf(database, type), type), signal);
      try {
        for await (const batch of command.read(chunks, limits, signal)) {
          const { badLines, ...done } = await storeBatch(batch, store);
          counts = {
            stored: counts.stored + done.stored,
            alreadyThere: counts.alreadyThere + done.alreadyThere,
            bad: counts.bad + badLines.length,
            invalid: counts.invalid + done.invalid,
            nextLine: done.nextLine,
          };
          // One line per reason, even if the reason quotes line breaks.
          const report = badLines.map(
            ({ number, reason }) => `${noun} ${number}: ${escapeInvisible(reason, 'escapes', 'writing')}`,
          );
          if (report.length > 0) await context.message(report.join('\n'));
          showCount(counts.nextLine - 1);
        }
        signal.throwIfAborted();
        isComplete = true;
      } catch (error) {
        // If nothing was stored, running the same command again is enough.
        if (hasBegun()) await context.message(command.explainUnfinished(counts.nextLine));
        throw error;
      } finally {
        context.showProgress('');
        const { outcome, words } = command.summarize(counts);
        await reportOutcome(context, source, outcome, words);
        await addToAudit(database);
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

/** Yields a stream's chunks until the stream ends or the signal is aborted. */
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
  return new OperatorError(`The file cannot be read: ${messageOf(error)}${advice}`, { cause: error });
}

/** The outcome of a batch that is on disk. */
interface BatchOutcome extends Omit<Counts, 'bad'> {
  /** The lines to report, in ascending order. */
  readonly badLines: readonly { readonly number: number; readonly reason: string }[];
}

type StoreRows = (
  records: readonly StoredRecord<object>[],
  type: RecordType,
) => Promise<readonly RowOutcome[]>;

async function storeBatch(lines: Batch, store: StoreRows): Promise<BatchOutcome> {
  const valid = lines.flatMap((line) => ('record' in line ? line : []));
  const outcomes = new Map<NumberedLine, RowOutcome>();
  for (const [type, rows] of Map.groupBy(valid, (row) => row.type)) {
    const records = rows.map(({ record }) => record);
    const stored = await store(records, type);
    for (const [index, row] of rows.entries()) outcomes.set(row, requireOutcome(stored[index]));
  }
  const badLines = lines.flatMap((line) => {
    const reason = 'reason' in line ? line.reason : outcomes.get(line)?.problem;
    return reason === undefined ? [] : { number: line.number, reason };
  });
  const stored = [...outcomes.values()].filter((outcome) => outcome.stored).length;
  return {
    stored,
    alreadyThere: lines.length - stored - badLines.length,
    badLines,
    invalid: lines.length - valid.length,
    nextLine: (lines.at(-1)?.number ?? 0) + 1,
  };
}

function requireOutcome<Outcome>(outcome: Outcome | undefined): Outcome {
  if (outcome === undefined) throw new Error('The store returned no outcome for a record');
  return outcome;
}

/**
 * Stores and removes records as if one after the other: a record that follows a tombstone with its ID finds that ID deleted.
 *
 * @param reuseDeletedIds whether records can reuse deleted IDs
 */
export async function storeRecords(
  records: readonly StoredRecord<object>[],
  store: Pick<RecordStore<object>, 'create' | 'change'>,
  operations: RecordType['operations'],
  reuseDeletedIds = false,
): Promise<readonly RowOutcome[]> {
  const removedById = new Map<bigint, boolean>();
  const splitAt = records.findIndex((record) => {
    const isRemoved = removedById.get(record.id) ?? isTombstone(record);
    removedById.set(record.id, isRemoved);
    return isRemoved !== isTombstone(record);
  });
  if (splitAt !== -1)
    return [
      ...(await storeRecords(records.slice(0, splitAt), store, operations, reuseDeletedIds)),
      ...(await storeRecords(records.slice(splitAt), store, operations, reuseDeletedIds)),
    ];

  const tombstones = records.filter(isTombstone);
  const created = withoutTombstones(records);
  const results = created.length === 0 ? [] : await store.create(created);
  const outcomes = new Map<StoredRecord<object>, RowOutcome>();
  const completed = created.filter((record, index) => {
    const result = requireOutcome(results[index]);
    outcomes.set(record, toRowOutcome(record, result, operations));
    const isDeleted = !result.stored && isTombstone(result.existing);
    return (isDeleted && reuseDeletedIds) || record.original !== undefined;
  });
  const changes = [
    ...completed.map(completionOf),
    ...tombstones.map(({ id }) => removalOf<object>(id, true)),
  ];
  const changed = changes.length === 0 ? [] : await store.change(changes);
  for (const [index, record] of [...completed, ...tombstones].entries()) {
    const { before, after } = requireOutcome(changed[index]);
    if (after !== undefined || isTombstone(record)) outcomes.set(record, { stored: after !== undefined });
    // An earlier line of the file may have taken the id.
    else if (before !== undefined && !outcomes.get(record)?.stored)
      outcomes.set(record, toRowOutcome(record, { stored: false, existing: before }, operations));
  }
  return records.map((record) => requireOutcome(outcomes.get(record)));

  /** Returns a change that reuses a deleted record's ID, or adds `original`, a fingerprint that a create does not store. */
  function completionOf(record: Stored<object>): Change<object> {
    const newRecord = { ...record, addedAt: record.addedAt === undefined ? Date.now() : record.addedAt };
    return {
      id: record.id,
      bytes: 0,
      replace(existing) {
        if (existing === undefined) return undefined;
        if (isTombstone(existing)) return reuseDeletedIds ? newRecord : undefined;
        const lacksOriginal = existing.original === undefined && operations.columns.isSame(existing, record);
        return lacksOriginal && record.original !== undefined
          ? { ...existing, original: record.original }
          : undefined;
      },
    };
  }
}

/** Returns a record's outcome, and why the record is not stored, if it is not. */
function toRowOutcome(
  record: Stored<object>,
  outcome: CreateOutcome<object>,
  { columns, isReplay, resource }: RecordType['operations'],
): RowOutcome {
  if (outcome.stored) return { stored: true };
  const { existing } = outcome;
  const { name } = resource;
  if (isTombstone(existing))
    return {
      stored: false,
      problem: `${capitalize(name)} ${record.id} was deleted. Choose another ID, or import with --reuse-deleted-ids.`,
    };
  // Even if both stores updated the record differently, both still know the create that it came from.
  const isSame =
    columns.isSame(existing, record) ||
    (record.original === undefined ? isReplay(existing, record) : existing.original === record.original);
  const problem = `${capitalize(name)} ${record.id} already exists with different values.`;
  return { stored: false, problem: isSame ? undefined : problem };
}

/** The line to begin with, the maximum line length, and the maximum size of a batch. */
export interface ReadLimits {
  readonly fromLine: number;
  readonly lineBytes: number;
  readonly batchLines: number;
  readonly batchBytes: number;
}

type NumberedLine = RecordLine & { readonly number: number };

/** At least one nonblank line, in ascending order. */
export type Batch = readonly NumberedLine[];

/**
 * Reads lines in batches.
 *
 * @param readLine parses a nonblank line, or returns `undefined` to skip it
 * @param signal once it is aborted, the lines read so far form the last batch
 */
export async function* readBatches(
  chunks: AsyncIterable<Buffer>,
  limits: ReadLimits,
  readLine: (bytes: Buffer) => RecordLine | undefined,
  signal?: AbortSignal,
): AsyncGenerator<Batch> {
  const { fromLine, lineBytes } = limits;
  async function* readLines(): AsyncGenerator<SizedLine> {
    for await (const { number, bytes } of splitLines(chunks, lineBytes, signal)) {
      if (number < fromLine || (bytes && isBlank(bytes))) continue;
      const tooLong = { reason: `The line is longer than ${lineBytes} bytes.` };
      const line = bytes ? readLine(bytes) : tooLong;
      if (line !== undefined) yield { number, bytes: bytes?.length ?? 0, ...line };
    }
  }
  yield* groupLines(readLines(), limits);
}

type SizedLine = NumberedLine & { readonly bytes: number };

/**
 * Groups lines into batches.
 *
 * @throws the error of reading a line, after yielding the lines before it
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
