import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isTombstone, type Stored, type StoredRecord, withoutTombstones } from '@plant-store/records';
import type { Config } from '../config.js';
import type { Database } from '../store/database.js';
import type { RecordStore } from '../store/store.js';
import { writeAtomically } from './atomic-write.js';
import {
  abortOnSignal,
  type CliContext,
  countOf,
  type JsonOption,
  toJsonLine,
  writeResult,
} from './cli-context.js';
import { retryWhileUnavailable, storeOf, withDatabase } from './database.js';
import type { FormatName, RecordType } from './formats.js';
import { describeWho, showHistory } from './one-record.js';
import { countProgress } from './progress.js';

export interface ListOptions extends JsonOption {
  /** The values that fields must have, by field name. */
  readonly equal: Readonly<Record<string, unknown>>;
  readonly query?: string;
  readonly newest?: boolean;
  readonly addedFrom?: string;
  readonly addedBefore?: string;
  /** Whether each line ends with who added the record and who last updated it. */
  readonly by?: boolean;
  readonly format: FormatName;
}

export async function list(
  config: Config,
  type: RecordType,
  options: ListOptions,
  context: CliContext,
): Promise<void> {
  const { operations, formats } = type;
  const {
    equal,
    query: q,
    newest = false,
    addedFrom,
    addedBefore,
    by = false,
    format,
    json = false,
  } = options;
  const { head, write } = json
    ? { head: '', write: (record: Stored<object>) => toJsonLine(operations.show(record)) }
    : formats[format];
  await withDatabase(config, { mustExist: true }, async (database) => {
    const store = storeOf(database, type);
    await writeResult(context, head);
    let after: string | undefined;
    do {
      const order = newest ? 'newest' : 'id';
      const query = { ...equal, limit: 1_000, order, q, addedFrom, addedBefore, after } as const;
      const { records, next } = await retryWhileUnavailable(() => operations.list(store, query, pace));
      const lines = by ? await withPeople(records, database, type, write, json) : records.map(write);
      await writeResult(context, lines.join(''));
      after = next;
    } while (after !== undefined);
  });
}

/** Limits for reading a page, as for a client that has the server to itself. */
const pace = { limits: () => ({ bytes: 2 ** 22, durationMs: 1_000 }) };

/** Formats records, each with who added it and who last updated it, if known. */
async function withPeople(
  records: readonly Stored<object>[],
  database: Database,
  type: RecordType,
  write: (record: Stored<object>) => string,
  json: boolean,
): Promise<readonly string[]> {
  const ids = records.map(({ id }) => id);
  const [histories, tokens] = await retryWhileUnavailable(() =>
    Promise.all([storeOf(database, type).findHistory(ids), database.accessTokens.list()]),
  );
  const byId = new Map(histories.map((history) => [history.record.id, history]));
  return records.map((record) => {
    const history = byId.get(record.id);
    // The record may have been deleted since the page was read.
    if (history === undefined || isTombstone(history.record)) return write(record);
    if (json) return toJsonLine(showHistory(history, tokens, type));
    const { addedBy, changedBy } = history;
    const people = { added: describeWho(addedBy, tokens), updated: describeWho(changedBy, tokens) };
    const known = Object.entries(people).filter(([, who]) => who !== '');
    return `${write(record).slice(0, -1)}${known.map(([what, who]) => `  ${what} ${who}`).join('')}\n`;
  });
}

/** The new file to write records to, by default standard output, and the file format. */
export interface ExportOptions {
  readonly output?: string;
  readonly format: 'ndjson' | 'csv';
}

/**
 * Writes all records of the given resources as CSV, or as NDJSON with a line for each deleted record. Records are written one resource
 * after the other, in order of ID. They go to standard output, or to a new file that is created completely or not at all.
 */
export async function exportRecords(
  config: Config,
  types: readonly RecordType[],
  { output, format }: ExportOptions,
  context: CliContext,
): Promise<void> {
  const isOnTerminal = output === undefined && context.isTerminal;
  const showCount = isOnTerminal ? () => undefined : countProgress(context, 'records');
  const counts = await withDatabase(config, { mustExist: true }, (database) => {
    if (output === undefined) {
      const write = (lines: string) => writeResult(context, lines);
      return writeRecords(database, types, format, { write, showCount });
    }
    const signal = abortOnSignal(context);
    return writeAtomically(resolve(context.folder, output), async (temporaryPath) => {
      const file = await open(temporaryPath, 'w');
      const write = async (lines: string) => {
        signal.throwIfAborted();
        await file.writeFile(lines);
      };
      return writeRecords(database, types, format, { write, showCount, signal }).finally(() => file.close());
    });
  });
  await context.message(`${counts.join(', ')} exported.`);
}

interface ExportOutput {
  write(lines: string): Promise<void>;
  showCount(count: number): void;
  readonly signal?: AbortSignal;
}

const pageLimits = { records: 1_000, bytes: 2 ** 20 };

/** Writes each resource's records page by page, and returns how many records each resource has. */
async function writeRecords(
  database: Pick<Database, 'stores'>,
  types: readonly RecordType[],
  format: ExportOptions['format'],
  { write, showCount, signal }: ExportOutput,
): Promise<readonly string[]> {
  const counts: string[] = [];
  let total = 0;
  for (const type of types) {
    const { resource, formats } = type;
    const before = total;
    if (formats[format].head !== '') await write(formats[format].head);
    for await (const page of readAll(storeOf(database, type), signal)) {
      await write(page.map(formats[format].write).join(''));
      total += withoutTombstones(page).length;
      showCount(total);
    }
    counts.push(countOf(total - before, resource.name, resource.plural));
  }
  return counts;
}

/**
 * Reads all records and tombstones in order of ID, page by page: every one that was stored before the call, and possibly some that were
 * stored later. If the database does not respond, reading resumes after the last page.
 */
async function* readAll(
  store: RecordStore,
  signal?: AbortSignal,
): AsyncGenerator<readonly StoredRecord<object>[]> {
  let lastId: bigint | undefined;
  const openPages = () => store.read(lastId, pageLimits)[Symbol.asyncIterator]();
  let pages = openPages();
  const readNext = () =>
    pages.next().catch((error: unknown) => {
      pages = openPages();
      throw error;
    });
  for (;;) {
    const { done, value: page } = await retryWhileUnavailable(readNext, signal);
    if (done) return;
    yield page;
    lastId = page.at(-1)?.id;
  }
}
