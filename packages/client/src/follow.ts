import type { errors } from '@plant-store/contract/errors';
import type { ChangePage, ChangeQuery } from '@plant-store/contract/operations';
import type { Client } from './client.js';
import type { CallOptions } from './options.js';
import { delay } from './timeout.js';
import { unwrap } from './unwrap.js';

/** Where to begin, how changes are requested, and the options of the calls. */
export type FollowOptions = Pick<ChangeQuery, 'after'> &
  CallOptions & {
    /** The maximum number of changes on a page, from 1 to 1,000. Default: 1,000. */
    readonly limit?: number | undefined;
    /** How long a request waits for a change if there is none, in seconds, from 1 to 25. Default: 25. */
    readonly wait?: number | undefined;
    /**
     * Called after the store was restored from a backup. Discard your copy: it can have plants that no longer exist, and lack others. Once
     * this resolves, pages start over as with `after: '0'`. Without it, `followChanges` ends with a `RejectedError`.
     */
    readonly onCursorExpired?: (() => void | Promise<void>) | undefined;
  };

const cursorExpired: (typeof errors)['cursor_expired']['error'] = 40011;

/** How much longer than its `wait` an attempt can take, in milliseconds. */
const timeoutMarginMs = 10_000;

/** The delay after an empty page that came without waiting, in milliseconds. It is shorter than the shortest `wait`. */
const emptyPageDelayMs = 900;

/**
 * Follows the changes of the plant store: yields pages of changes as they happen, in order. Store the `next` of a page once you have
 * processed the page, and pass it as `after` when you start again. You then miss no change, but may get the last page again.
 *
 * A plant that changed several times while you were not following comes once, in its latest state. `followChanges` waits while there are no
 * changes. While the service restarts, is unavailable, or is overloaded, it retries without a limit, and `onResponse` sees each attempt.
 * Only `signal`, leaving the loop, `retries`, or `timeoutMs` end it.
 *
 * The sequence never ends, so iterate it. Unlike the results of the other helpers, it is not a promise: awaiting it sends no request.
 *
 * @param options `after` is the `next` of a page, or `'0'` to start with all stored plants. Default: only later changes. The others are
 * described in `FollowOptions`.
 * @throws {RejectedError} when a retry would not help, such as for an invalid token, or for a cursor from before a restore without
 * `onCursorExpired`. It throws the reason of `signal` once that is aborted.
 *
 * @example
 * import { createClient, followChanges } from '@plant-store/client';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 * const names = new Map<string, string>();
 * const options = { after: '0', onCursorExpired: () => names.clear() };
 * for await (const { changes } of followChanges(client, options)) {
 *   for (const { idText, plant } of changes) {
 *     if (plant === undefined) names.delete(idText);
 *     else names.set(idText, plant.name);
 *   }
 * }
 */
export async function* followChanges(
  client: Pick<Client, 'listChanges'>,
  { after, limit = 1_000, wait = 25, onCursorExpired, ...options }: FollowOptions = {},
): AsyncGenerator<ChangePage, never, undefined> {
  for (let next = after; ; ) {
    // The first request without a position does not wait: if it failed, changes during its wait would be lost.
    const query = { limit, after: next, wait: next === undefined ? 0 : Math.max(1, wait) };
    const attemptTimeoutMs = 1_000 * query.wait + timeoutMarginMs;
    const endless = { attemptTimeoutMs, timeoutMs: Infinity, retries: Infinity };
    const startedAt = performance.now();
    const reply = await client.listChanges({ ...endless, ...options, query });
    if (onCursorExpired !== undefined && reply.status === 400 && reply.body.error === cursorExpired) {
      await onCursorExpired();
      next = '0';
      continue;
    }
    const page = unwrap(reply);
    const hasMore = page.next !== next;
    next = page.next;
    if (page.changes.length > 0) yield page;
    // An instance that is about to stop replies without waiting, and may also get the next request.
    else if (!hasMore && performance.now() - startedAt < emptyPageDelayMs)
      await delay(emptyPageDelayMs, options.signal);
  }
}
