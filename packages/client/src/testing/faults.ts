import { errorTexts } from '@plant-store/contract/error-texts';
import { type ErrorName, errors } from '@plant-store/contract/errors';
import { routes } from '@plant-store/contract/routes';
import type { OperationName } from '../client.js';
import { delay } from '../timeout.js';
import { type Reply, toReply, toResponse } from './reply.js';

/**
 * A fault that a fake plant store injects into the next request, or into the next request for an `operation`. Use `times` to inject the fault
 * into several requests. If `stored` is `true`, the store carries out the request before the fault occurs. Default: `false`.
 *
 * @example
 * import { createFakePlantStore, type Fault } from '@plant-store/client/testing';
 *
 * const gateway: Fault = {
 *   kind: 'status',
 *   status: 502,
 *   headers: { 'Content-Type': 'text/html' },
 *   body: '<h1>Bad Gateway</h1>',
 * };
 * const store = createFakePlantStore();
 * store.fail(gateway, { kind: 'drop', stored: true });
 * store.fail({ operation: 'listPlants', kind: 'status', status: 503, times: Infinity });
 */
export type Fault = DelayFault | DropFault | RefuseFault | StatusFault | MalformedFault;

interface BaseFault {
  /** Injects the fault only into requests for this operation. Default: any operation. */
  readonly operation?: OperationName | undefined;
  /**
   * How many requests the fault affects, such as 3 for a call with 2 retries. With `Infinity`, the fault affects all requests until
   * `clearFaults()`. Default: 1.
   */
  readonly times?: number | undefined;
}

/** Delays the normal reply. A delay of 0 milliseconds lets a request succeed between two faults. */
export interface DelayFault extends BaseFault {
  readonly kind: 'delay';
  /** The delay in milliseconds. A request that is aborted during the delay is not carried out, unless `stored` is `true`. */
  readonly ms: number;
  readonly stored?: boolean | undefined;
}

/** Breaks the connection before the reply arrives. `fetch` rejects, and the caller cannot know whether the request was carried out. */
export interface DropFault extends BaseFault {
  readonly kind: 'drop';
  readonly stored?: boolean | undefined;
}

/** Refuses the connection. `fetch` rejects, and nothing is stored. */
export interface RefuseFault extends BaseFault {
  readonly kind: 'refuse';
}

/** Replies with another status, like an overloaded service or a failing proxy. */
export interface StatusFault extends BaseFault {
  readonly kind: 'status';
  /** The status, from 200 to 599. */
  readonly status: number;
  /**
   * The headers, such as `{ 'Retry-After': '1' }`. Default: none. The real service sends `Retry-After` with status 429, and with status 503
   * unless the error is `database_damaged`.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The body. Default: the body for the first error in `errors` that has the status, or an empty body if there is no such error. */
  readonly body?: string | undefined;
  readonly stored?: boolean | undefined;
}

/** Carries out the request, but replaces the reply's body with an HTML page, with the first half of the body, or with an empty body. */
export interface MalformedFault extends BaseFault {
  readonly kind: 'malformed';
  readonly body: 'html' | 'truncated' | 'empty';
}

/**
 * Answers a request, and injects a fault if there is one.
 *
 * @param id the reply's `X-Request-Id`
 * @param answer carries out the request, and returns the normal reply
 * @throws {TypeError} if the fault prevents a reply, as `fetch` does
 * @throws the signal's reason if the signal aborts during a delay
 */
export async function answerWithFault(
  id: string,
  answer: () => Promise<Reply>,
  fault: Fault | undefined,
  signal: AbortSignal,
): Promise<Reply> {
  if (fault === undefined) return answer();
  if (fault.kind === 'refuse') throw connectionError('connect', 'ECONNREFUSED');
  if (fault.kind === 'malformed') return malform(await answer(), fault.body);
  const reply = fault.stored ? await answer() : undefined;
  if (fault.kind === 'drop') throw connectionError('read', 'ECONNRESET');
  if (fault.kind === 'status') return statusReply(id, fault);
  await delay(fault.ms, signal);
  return reply ?? answer();
}

/** The faults that a fake plant store has yet to inject. */
export class FaultScript {
  readonly #faults: { readonly fault: Fault; left: number }[] = [];

  /** How many more requests the faults will affect. */
  get left(): number {
    return this.#faults.reduce((sum, { left }) => sum + left, 0);
  }

  /** @throws {RangeError | TypeError} if a fault's kind, operation, `times`, or reply is not valid */
  add(faults: readonly Fault[]): void {
    faults.forEach(checkFault);
    this.#faults.push(...faults.map((fault) => ({ fault, left: fault.times ?? 1 })));
  }

  /** Returns the first fault for an operation, if any, and subtracts 1 from the fault's remaining requests. */
  take(operation: OperationName | undefined): Fault | undefined {
    const index = this.#faults.findIndex(({ fault }) => (fault.operation ?? operation) === operation);
    const scripted = this.#faults[index];
    if (scripted !== undefined && --scripted.left === 0) this.#faults.splice(index, 1);
    return scripted?.fault;
  }

  clear(): void {
    this.#faults.length = 0;
  }
}

const kinds: readonly string[] = ['delay', 'drop', 'refuse', 'status', 'malformed'] satisfies Fault['kind'][];

function checkFault(fault: Fault): void {
  const { kind, operation, times = 1 } = fault;
  if (!kinds.includes(kind)) throw new TypeError(`There is no fault kind ${kind}`);
  if (operation !== undefined && !Object.hasOwn(routes, operation))
    throw new TypeError(`There is no operation ${operation}`);
  if (times !== Infinity && !(Number.isSafeInteger(times) && times > 0))
    throw new RangeError(`times must be a positive integer or Infinity, not ${times}`);
  if (kind === 'status') toResponse(statusReply('', fault));
}

function statusReply(id: string, { status, headers = {}, body }: StatusFault): Reply {
  const errorName = errorNames.find((name) => errors[name].status === status);
  if (body !== undefined || errorName === undefined) return { status, headers, body: body ?? '' };
  const message = errorTexts[errorName].example;
  return toReply(id, { status, headers, body: { error: errors[errorName].error, message } });
}

const errorNames = Object.keys(errors) as ErrorName[];

function malform(reply: Reply, body: MalformedFault['body']): Reply {
  if (body === 'empty') return { ...reply, body: '' };
  if (body === 'truncated') return { ...reply, body: reply.body.slice(0, reply.body.length / 2) };
  const headers = { ...reply.headers, 'Content-Type': 'text/html; charset=utf-8' };
  return { ...reply, headers, body: '<!doctype html><title>Plants</title>' };
}

/** Creates the error with which Node.js's `fetch` rejects when a system call fails. */
export function connectionError(syscall: string, code: string): TypeError {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error(`${syscall} ${code}`), { code, syscall }),
  });
}
