import type { Response } from 'express';
import { overloadErrors } from '../errors/service-error.js';
import { Budget, type Caller } from '../runtime/callers.js';
import { callerOf } from './middleware/bearer-auth.js';

/** From how many bytes on a body, or a reply, is counted: each connection costs more than less of it. */
const countedFrom = 1_024;

/** Of the limit, what must be left for a caller before something is read for it: a 64th. */
const readShare = 64;

export type CallerMemory = ReturnType<typeof createCallerMemory>;

/**
 * Counts for each caller what its requests make the service hold, until their replies have left the process.
 *
 * @param limitBytes how much all callers together may hold; see `Budget` for the part of each
 */
export function createCallerMemory(limitBytes: number) {
  const budget = new Budget(limitBytes);

  /** How many replies of each caller hold bytes that replies share. */
  const holders = new WeakMap<Buffer, Map<Caller, number>>();

  /**
   * Returns all that a request holds for itself, unless work on it goes on, and drops its parsed body: an idle connection
   * keeps its last request.
   */
  function release({ locals, req }: Response): void {
    if (locals.works) return;
    if (locals.heldBytes) budget.release(callerOf(locals), locals.heldBytes);
    locals.heldBytes = 0;
    req.body = undefined;
  }

  /** Whether so many bytes more of a request are counted. */
  const isCounted = ({ locals }: Response, bytes: number) => bytes >= countedFrom || locals.heldBytes;

  /** Whether there is room for so many bytes more of a request. One request alone may hold any amount. */
  const hasRoomFor = ({ locals }: Response, bytes: number) =>
    budget.held === (locals.heldBytes ?? 0) || budget.hasRoom(callerOf(locals), bytes);

  /** Records what was taken of the budget. */
  function keep(response: Response, bytes: number): void {
    const { locals } = response;
    if (locals.heldBytes === undefined && !response.closed) response.once('close', () => release(response));
    locals.heldBytes = (locals.heldBytes ?? 0) + bytes;
  }

  /** Adds a reply to the budget. */
  function addReply(response: Response, bytes: number): void {
    const caller = callerOf(response.locals);
    const readsOnly = response.locals.readsOnly || /^(?:GET|HEAD)$/.test(response.req.method);
    const isRead = response.statusCode === 200 && readsOnly;
    if (isRead && !hasRoomFor(response, bytes)) throw overloadErrors.reply_bytes;
    budget.add(caller, bytes);
  }

  /** Holds bytes that other replies may hold, too: they count once for each caller, until its last reply has left the process. */
  function holdShared(response: Response, bytes: Buffer): void {
    const caller = callerOf(response.locals);
    const counts = holders.get(bytes) ?? new Map<Caller, number>();
    const count = counts.get(caller) ?? 0;
    if (count === 0) addReply(response, bytes.length);
    counts.set(caller, count + 1);
    holders.set(bytes, counts);
    response.once('close', () => {
      const left = (counts.get(caller) ?? 1) - 1;
      counts.set(caller, left);
      if (left === 0) budget.release(caller, bytes.length);
    });
  }

  return {
    /** How many bytes all requests hold. */
    get held() {
      return budget.held;
    },
    /** Holds so many bytes of a request, and returns whether there is room for them; if not, they are not held. */
    holdBody(response: Response, bytes: number): boolean {
      if (!isCounted(response, bytes)) return true;
      if (!budget.take(callerOf(response.locals), bytes)) return false;
      keep(response, bytes);
      return true;
    },
    /** The same for what was parsed of a body: one request alone may hold any amount. */
    holdParsed(response: Response, bytes: number): boolean {
      if (!hasRoomFor(response, bytes)) return false;
      budget.add(callerOf(response.locals), bytes);
      keep(response, bytes);
      return true;
    },
    /**
     * Holds a reply of so many bytes. A connection copies what it cannot send of a text, and refers to a buffer.
     *
     * @throws {ServiceError} `overloaded` when there is no room for what was read; that something was changed is always reported
     */
    holdReply(response: Response, text: string | Buffer, bytes: number): void {
      // Nothing of it is sent.
      if (response.closed) return;
      if (typeof text !== 'string') holdShared(response, text);
      else if (isCounted(response, bytes)) {
        addReply(response, bytes);
        keep(response, bytes);
      }
    },
    /** Whether a caller has room for what a list reads: a part of what it may hold. */
    hasRoom: (caller: Caller) => budget.hasRoom(caller, limitBytes / readShare),
    /**
     * Notes that work on a request begins, for which the request holds what it does although its client may leave.
     *
     * @returns a function that notes the end of the work
     */
    beginWork(response: Response): () => void {
      const { locals } = response;
      locals.works = (locals.works ?? 0) + 1;
      return () => {
        locals.works = (locals.works ?? 1) - 1;
        if (response.closed) release(response);
      };
    },
    release,
  };
}
