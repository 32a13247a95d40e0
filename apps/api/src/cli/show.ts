import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import { messages } from '@plant-store/contract/messages';
import type { AccessToken } from '../auth/token-service.js';
import type { Config } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import { toIsoTime } from '../runtime/timing.js';
import { isTombstone, type RecordHistory } from '../store/store.js';
import { type CliContext, writeResult } from './cli-context.js';
import { retryWhileUnavailable, withDatabase } from './database.js';
import { formats } from './formats.js';

/**
 * Prints what has an id, a plant or that it was deleted, and when and by whom it was created, and changed last.
 *
 * @throws {OperatorError} when there never was such a plant
 */
export async function show(config: Config, id: bigint, context: CliContext): Promise<void> {
  await withDatabase(config, { mustExist: true }, async ({ plants, accessTokens }) => {
    const [history] = await retryWhileUnavailable(() => plants.findHistory([id]));
    if (history === undefined) throw new OperatorError(messages.plantNotFound(id));
    const tokens = await retryWhileUnavailable(() => accessTokens.list());
    const { record, addedAt, addedBy, changedAt, changedBy } = history;
    const lines = [
      formats.ndjson.write(record),
      describe('added', addedAt, addedBy, tokens),
      wasChanged(history)
        ? describe(isTombstone(record) ? 'deleted' : 'corrected', changedAt, changedBy, tokens)
        : '',
    ];
    await writeResult(context, lines.join(''));
  });
}

function wasChanged({ record }: RecordHistory<object>): boolean {
  return isTombstone(record) || record.original !== undefined;
}

/** Such as `corrected  2026-11-28T10:00:00.000Z  by token 7 "web-shop"`, with what is known. */
function describe(
  what: string,
  at: number | undefined,
  by: string | undefined,
  tokens: readonly AccessToken[],
): string {
  const time = at === undefined ? 'at a time that is not known' : toIsoTime(at);
  return `${what.padEnd(9)}  ${[time, describeWho(by, tokens)].filter(Boolean).join('  ')}\n`;
}

/** Such as `by token 7 "web-shop"`; empty where nobody is known. */
export function describeWho(by: string | undefined, tokens: readonly AccessToken[]): string {
  if (by === undefined) return '';
  const token = tokens.find(({ id }) => String(id) === by);
  if (token !== undefined) return `by token ${by} "${escapeInvisible(token.name)}"`;
  return `by ${by.startsWith('subject ') ? escapeInvisible(by) : `token ${by}`}`;
}
