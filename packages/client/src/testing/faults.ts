import { errorTexts } from '@plant-store/contract/error-texts';
import { type ErrorName, errors } from '@plant-store/contract/errors';
import { routes } from '@plant-store/contract/routes';
import type { OperationName } from '../client.js';
import { delay } from '../timeout.js';
import { type Reply, toReply, toResponse } from './reply.js';

/**
 * A fault that a fake plant store injects. It applies to the next request, or to the next request of an `operation`. `times` makes it apply to
 * more requests. If `stored` is `true`, the request is carried out before the fault. Default: `false`.
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
  /** The operation whose requests get the fault. Default: any operation. */
  readonly operation?: OperationName | undefined;
  /** How many requests get the fault, such as 3 for a call with 2 retries. With `Infinity`, all until `clearFaults()`. Default: 1. */
  readonly times?: number | undefined;
}

/** The normal reply, late. With 0 milliseconds it lets a request succeed between two faults. */
export interface DelayFault extends BaseFault {
  readonly kind: 'delay';
  /** In milliseconds. A request that is aborted during this time is not carried out. */
  readonly ms: number;
  readonly stored?: boolean | undefined;
}

/** The connection breaks before a reply comes: `fetch` rejects, and the caller cannot know what is stored. */
export interface DropFault extends BaseFault {
  readonly kind: 'drop';
  readonly stored?: boolean | undefined;
}

/** No connection is made: `fetch` rejects, and nothing is stored. */
export interface RefuseFault extends BaseFault {
  readonly kind: 'refuse';
}

/** A reply of another status, from the service or from a proxy in front of it. */
export interface StatusFault extends BaseFault {
  readonly kind: 'status';
  /** From 200 to 599. */
  readonly status: number;
  /**
   * For example `{ 'Retry-After': '1' }`. Default: none. The service itself sends `Retry-After` with 429, and with 503 except for
   * `database_damaged`.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: the body of the first error with that status in `errors`, or empty if there is none. */
  readonly body?: string | undefined;
  readonly stored?: boolean | undefined;
}

/** The request is carried out, but the body of its reply is replaced: by an HTML page, by its first half, or by nothing. */
export interface MalformedFault extends BaseFault {
  readonly kind: 'malformed';
  readonly body: 'html' | 'truncated' | 'empty';
}

/**
 * Answers a request, with a fault if one applies to it.
 *
 * @param id the `X-Request-Id` of the reply
 * @param answer carries out the request, and returns the normal reply
 * @throws {TypeError} when no reply comes, as `fetch` does
 * @throws the reason of the signal when it aborts during a delay
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

export class FaultScript {
  readonly #faults: { readonly fault: Fault; left: number }[] = [];

  /** How many more requests will get a fault. */
  get left(): number {
    return this.#faults.reduce((sum, { left }) => sum + left, 0);
  }

  /** @throws {RangeError | TypeError} when the kind, the operation, `times`, or the reply of a fault is not valid */
  add(faults: readonly Fault[]): void {
    faults.forEach(checkFault);
    this.#faults.push(...faults.map((fault) => ({ fault, left: fault.times ?? 1 })));
  }

  /** Returns the first fault for a request of an operation, if any, and counts this use of it. */
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

/** The error with which `fetch` of Node.js rejects when a system call fails. */
export function connectionError(syscall: string, code: string): TypeError {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error(`${syscall} ${code}`), { code, syscall }),
  });
}
