import type { Response } from 'express';
import { overloadErrors } from '../errors/service-error.js';
import { Budget, type Caller } from '../runtime/callers.js';
import { callerOf } from './middleware/bearer-auth.js';

/** Bodies and replies are counted from this size, in bytes. Smaller ones cost less than the connection itself. */
const countedFrom = 1_024;

/** A caller needs room for 1/64 of the limit before a list is read for it. */
const readShare = 64;

export type CallerMemory = ReturnType<typeof createCallerMemory>;

/**
 * Counts the memory that each caller's requests hold until their replies have left the process.
 *
 * @param limitBytes how much all callers together may hold; see `Budget` for the share of each
 */
export function createCallerMemory(limitBytes: number) {
  const budget = new Budget(limitBytes);

  /** For each shared buffer, how many replies of each caller hold it. */
  const holders = new WeakMap<Buffer, Map<Caller, number>>();

  /**
   * Releases what a request holds, unless work on it is still running, and drops its parsed body, because an idle connection keeps a
   * reference to its last request.
   */
  function release({ locals, req }: Response): void {
    if (locals.works) return;
    if (locals.heldBytes) budget.release(callerOf(locals), locals.heldBytes);
    locals.heldBytes = 0;
    req.body = undefined;
  }

  /** Whether there is room for more bytes of a request. If no other request holds anything, there always is. */
  const hasRoomFor = ({ locals }: Response, bytes: number) =>
    budget.held === (locals.heldBytes ?? 0) || budget.hasRoom(callerOf(locals), bytes);

  function keep(response: Response, bytes: number): void {
    const { locals } = response;
    if (locals.heldBytes === undefined && !response.closed) response.once('close', () => release(response));
    locals.heldBytes = (locals.heldBytes ?? 0) + bytes;
  }

  function addReply(response: Response, bytes: number): void {
    const caller = callerOf(response.locals);
    const readsOnly = response.locals.readsOnly || /^(?:GET|HEAD)$/.test(response.req.method);
    const isRead = response.statusCode === 200 && readsOnly;
    if (isRead && !hasRoomFor(response, bytes)) throw overloadErrors.reply_bytes;
    budget.add(caller, bytes);
  }

  /** Holds a buffer that replies may share. It counts once per caller, until the caller's last reply has left the process. */
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
    get held() {
      return budget.held;
    },
    /** Takes room for bytes of a request body. Returns `false`, and takes nothing, if there is no room. */
    holdBody(response: Response, bytes: number): boolean {
      if (bytes < countedFrom && !response.locals.heldBytes) return true;
      if (!budget.take(callerOf(response.locals), bytes)) return false;
      keep(response, bytes);
      return true;
    },
    /** As `holdBody`, for a parsed body. If no other request holds anything, any amount is allowed. */
    holdParsed(response: Response, bytes: number): boolean {
      if (!hasRoomFor(response, bytes)) return false;
      budget.add(callerOf(response.locals), bytes);
      keep(response, bytes);
      return true;
    },
    /**
     * Holds a reply. A connection copies the unsent part of a string, but only references a buffer.
     *
     * @throws {ServiceError} `overloaded` when there is no room for the reply to a read; replies to changes are always sent
     */
    holdReply(response: Response, text: string | Buffer, bytes: number): void {
      if (response.closed) return;
      if (typeof text !== 'string') holdShared(response, text);
      else if (bytes >= countedFrom || response.locals.heldBytes) {
        addReply(response, bytes);
        keep(response, bytes);
      }
    },
    hasRoom: (caller: Caller) => budget.hasRoom(caller, limitBytes / readShare),
    /** Notes that work on a request begins, and returns what notes its end. Until then, the request keeps its memory. */
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
