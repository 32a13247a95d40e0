import type { Response } from 'express';
import { overloadErrors } from '../errors/service-error.js';
import { Budget } from '../runtime/callers.js';
import { callerOf } from './middleware/bearer-auth.js';

/** From how many bytes on a body, or a reply, is counted: each connection costs more than less of it. */
const countedFrom = 1_024;

export type CallerMemory = ReturnType<typeof createCallerMemory>;

/**
 * Counts for each caller what its requests make the service hold, until their replies have left the process.
 *
 * @param limitBytes how much all callers together may hold; see `Budget` for the part of each
 */
export function createCallerMemory(limitBytes: number) {
  const budget = new Budget(limitBytes);

  /** Returns all that a request holds. */
  function release({ locals }: Response): void {
    if (locals.heldBytes) budget.release(callerOf(locals), locals.heldBytes);
    locals.heldBytes = 0;
  }

  /** Whether so many bytes more of a request are counted. */
  const isCounted = ({ locals }: Response, bytes: number) => bytes >= countedFrom || locals.heldBytes;

  /** Keeps in mind what was taken of the budget. */
  function keep(response: Response, bytes: number): void {
    const { locals } = response;
    if (locals.heldBytes === undefined) response.once('close', () => release(response));
    locals.heldBytes = (locals.heldBytes ?? 0) + bytes;
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
    /**
     * Holds so many bytes of a reply.
     *
     * @throws {ServiceError} `overloaded` when there is no room for what was read; that something was changed is always reported
     */
    holdReply(response: Response, bytes: number): void {
      if (!isCounted(response, bytes)) return;
      const caller = callerOf(response.locals);
      const readsOnly = response.locals.readsOnly || /^(?:GET|HEAD)$/.test(response.req.method);
      const isRead = response.statusCode === 200 && readsOnly;
      if (isRead && !budget.hasRoom(caller, bytes)) throw overloadErrors.reply_bytes;
      budget.add(caller, bytes);
      keep(response, bytes);
    },
    release,
  };
}
