import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import { messagesOf } from '@plant-store/contract/messages';
import { type AccessToken, isTombstone, type RecordState, toIsoTime } from '@plant-store/records';
import type { Config } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import type { Database } from '../store/database.js';
import type { RecordHistory } from '../store/store.js';
import { type CliContext, type JsonOption, toJsonLine, writeResult } from './cli-context.js';
import { retryWhileUnavailable, storeOf, withDatabase } from './database.js';
import type { RecordType } from './formats.js';

export interface ShowOptions extends JsonOption {
  readonly history?: boolean;
}

/**
 * Prints a record, or that it was deleted. Standard error shows who added it, who last changed it, and when. With `--json`, the record
 * includes this information.
 *
 * @throws {OperatorError} if no record ever had the ID
 */
export async function show(
  config: Config,
  type: RecordType,
  id: bigint,
  { json = false, history: showAllStates = false }: ShowOptions,
  context: CliContext,
): Promise<void> {
  await withDatabase(config, { mustExist: true }, async (database) => {
    if (showAllStates) return await showStates(database, type, id, json, context);
    const [history] = await retryWhileUnavailable(() => storeOf(database, type).findHistory([id]));
    if (history === undefined) throw new OperatorError(messagesOf(type.resource).notFound(id));
    const tokens = await retryWhileUnavailable(() => database.accessTokens.list());
    if (json) return await writeResult(context, toJsonLine(showHistory(history, tokens, type)));
    const { record, addedAt, addedBy, changedAt, changedBy } = history;
    await writeResult(context, type.formats.ndjson.write(record));
    await context.message(describe('added', addedAt, addedBy, tokens));
    if (wasChanged(history))
      await context.message(
        describe(isTombstone(record) ? 'deleted' : 'updated', changedAt, changedBy, tokens),
      );
  });
}

const pageLimits = { matches: 1_000, bytes: 2 ** 22 };

/**
 * Prints a record's states, latest first, one per line, or with `--json` as members of one object.
 *
 * @throws {OperatorError} if there is no such record
 */
async function showStates(
  database: Database,
  type: RecordType,
  id: bigint,
  json: boolean,
  context: CliContext,
): Promise<void> {
  const tokens = await retryWhileUnavailable(() => database.accessTokens.list());
  const { pick } = type.operations.columns;
  const showState = ({ fields, from, until, by }: RecordState<object>) => ({
    ...pick(fields),
    from: showTime(from),
    until: showTime(until),
    by: showWho(by, tokens),
  });
  const all: object[] = [];
  let next: number | undefined;
  do {
    const start = next;
    const page = await retryWhileUnavailable(() => storeOf(database, type).listStates(id, start, pageLimits));
    if (page === undefined) throw new OperatorError(messagesOf(type.resource).notFound(id));
    const states = page.states.map(showState);
    if (json) all.push(...states);
    else await writeResult(context, states.map(toJsonLine).join(''));
    next = page.next;
  } while (next !== undefined);
  if (json) await writeResult(context, toJsonLine({ id, idText: id.toString(), states: all }));
}

/** Returns a record as in API replies, or its tombstone, with when and by whom it was added and last changed, where known. */
export function showHistory(
  history: RecordHistory<object>,
  tokens: readonly AccessToken[],
  { operations }: RecordType,
): object {
  const { record, addedAt, addedBy, changedAt, changedBy } = history;
  const added = { addedAt: showTime(addedAt), addedBy: showWho(addedBy, tokens) };
  const [at, by] = [showTime(changedAt), showWho(changedBy, tokens)];
  if (isTombstone(record)) {
    const { id } = record;
    return { id, idText: id.toString(), deleted: true, ...added, deletedAt: at, deletedBy: by };
  }
  return {
    ...operations.show(record),
    ...added,
    ...(wasChanged(history) && { updatedAt: at, updatedBy: by }),
  };
}

function showTime(at: number | undefined): string | undefined {
  return at === undefined ? undefined : toIsoTime(at);
}

/** Formats an actor as `GET /tokens/own` does: a token's ID and name, or the subject of a JSON Web Token. */
function showWho(by: string | undefined, tokens: readonly AccessToken[]): object | undefined {
  if (by === undefined) return undefined;
  if (by.startsWith(subjectMark)) return { subject: by.slice(subjectMark.length) };
  return { id: Number(by), name: tokens.find(({ id }) => String(id) === by)?.name };
}

/** Marks a stored actor as the subject of a JSON Web Token. Without it, the actor is a token ID. */
const subjectMark = 'subject ';

function wasChanged({ record }: RecordHistory<object>): boolean {
  return isTombstone(record) || record.original !== undefined;
}

/** Describes an event, for example `updated  2026-11-28T10:00:00.000Z  by token 7 "web-shop"`. Omits an unknown actor. */
function describe(
  what: string,
  at: number | undefined,
  by: string | undefined,
  tokens: readonly AccessToken[],
): string {
  const time = at === undefined ? 'at an unknown time' : toIsoTime(at);
  return `${what.padEnd(7)}  ${[time, describeWho(by, tokens)].filter(Boolean).join('  ')}`;
}

/** Describes an actor, for example `by token 7 "web-shop"`; empty if unknown. */
export function describeWho(by: string | undefined, tokens: readonly AccessToken[]): string {
  if (by === undefined) return '';
  const token = tokens.find(({ id }) => String(id) === by);
  if (token !== undefined) return `by token ${by} "${escapeInvisible(token.name)}"`;
  return `by ${by.startsWith(subjectMark) ? escapeInvisible(by) : `token ${by}`}`;
}

/**
 * Replaces fields of the record with this ID, and prints the record.
 *
 * @param values new values by field name; `undefined` removes the field
 * @throws {OperatorError} if there is no such record
 */
export async function update(
  config: Config,
  type: RecordType,
  { id, values, json = false }: JsonOption & { readonly id: bigint; readonly values: object },
  context: CliContext,
): Promise<void> {
  const { resource, operations, formats } = type;
  await withDatabase(config, { mustExist: true }, async (database) => {
    const [outcome] = await retryWhileUnavailable(() =>
      storeOf(database, type).change([
        {
          id,
          bytes: 0,
          replace: (existing) =>
            existing === undefined || isTombstone(existing)
              ? undefined
              : operations.withFields(existing, { ...operations.columns.pick(existing), ...values }),
        },
      ]),
    );
    if (outcome === undefined) throw new Error('The store returned no outcome');
    const { before, after } = outcome;
    const record = after ?? before;
    if (record === undefined || isTombstone(record))
      throw new OperatorError(messagesOf(resource).notFound(id));
    await writeResult(context, json ? toJsonLine(operations.show(record)) : formats.ndjson.write(record));
  });
}
