import type { Response } from 'express';
import { overloadErrors } from '../errors/service-error.js';
import { Budget, type Caller } from '../runtime/callers.js';
import { callerOf } from './middleware/bearer-auth.js';

/** The size of the smallest body or reply that is counted, in bytes. Smaller ones cost less than the connection itself. */
const minCountedBytes = 1_024;

/** Lists are read only for a caller that has room for 1/64 of the limit. */
const listRoomDivisor = 64;

export type CallerMemory = ReturnType<typeof createCallerMemory>;

/**
 * Counts the memory that each caller's requests hold until their replies have left the process.
 *
 * @param limitBytes how many bytes all callers together can hold; see `Budget` for each caller's share
 */
export function createCallerMemory(limitBytes: number) {
  const budget = new Budget(limitBytes);

  /** For each shared buffer, how many replies of each caller hold it. */
  const holders = new WeakMap<Buffer, Map<Caller, number>>();

  /**
   * Releases the memory that a request holds, unless work on the request is still running. Drops the parsed body, because an idle
   * connection keeps a reference to its last request.
   */
  function release({ locals, req }: Response): void {
    if (locals.runningTasks) return;
    if (locals.heldBytes) budget.release(callerOf(locals), locals.heldBytes);
    locals.heldBytes = 0;
    req.body = undefined;
  }

  /** Whether a request can hold more bytes. If no other request holds anything, it always can. */
  const hasRoomFor = ({ locals }: Response, bytes: number) =>
    budget.held === (locals.heldBytes ?? 0) || budget.hasRoom(callerOf(locals), bytes);

  /** Adds bytes to those that are released when the response closes. */
  function releaseOnClose(response: Response, bytes: number): void {
    const { locals } = response;
    if (locals.heldBytes === undefined && !response.closed) response.once('close', () => release(response));
    locals.heldBytes = (locals.heldBytes ?? 0) + bytes;
  }

  /** Counts a reply for its caller. @throws {ServiceError} `overloaded` when there is no room for the reply to a read */
  function addReply(response: Response, bytes: number): void {
    const caller = callerOf(response.locals);
    const readsOnly = response.locals.readsOnly || /^(?:GET|HEAD)$/.test(response.req.method);
    const isRead = response.statusCode === 200 && readsOnly;
    if (isRead && !hasRoomFor(response, bytes)) throw overloadErrors.reply_bytes;
    budget.add(caller, bytes);
  }

  /** Holds a buffer that replies can share. It counts once per caller, until the last reply to the caller has left the process. */
  function holdShared(response: Response, bytes: Buffer): void {
    const caller = callerOf(response.locals);
    const counts = holders.get(bytes) ?? new Map<Caller, number>();
    const count = counts.get(caller) ?? 0;
    if (count === 0) addReply(response, bytes.length);
    counts.set(caller, count + 1);
    holders.set(bytes, counts);
    response.once('close', () => {
      const remaining = (counts.get(caller) ?? 1) - 1;
      counts.set(caller, remaining);
      if (remaining === 0) budget.release(caller, bytes.length);
    });
  }

  return {
    get held() {
      return budget.held;
    },
    /** Takes room for bytes of a request body. Returns `false`, and takes nothing, if there is no room. */
    holdBody(response: Response, bytes: number): boolean {
      if (bytes < minCountedBytes && !response.locals.heldBytes) return true;
      if (!budget.take(callerOf(response.locals), bytes)) return false;
      releaseOnClose(response, bytes);
      return true;
    },
    /** Like `holdBody`, for a parsed body. If no other request holds anything, any amount is allowed. */
    holdParsed(response: Response, bytes: number): boolean {
      if (!hasRoomFor(response, bytes)) return false;
      budget.add(callerOf(response.locals), bytes);
      releaseOnClose(response, bytes);
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
      else if (bytes >= minCountedBytes || response.locals.heldBytes) {
        addReply(response, bytes);
        releaseOnClose(response, bytes);
      }
    },
    hasRoom: (caller: Caller) => budget.hasRoom(caller, limitBytes / listRoomDivisor),
    /** Marks the start of work on a request, and returns a function that marks its end. Until then, the request keeps its memory. */
    beginWork(response: Response): () => void {
      const { locals } = response;
      locals.runningTasks = (locals.runningTasks ?? 0) + 1;
      return () => {
        locals.runningTasks = (locals.runningTasks ?? 1) - 1;
        if (response.closed) release(response);
      };
    },
    release,
  };
}
