import { type ErrorName, errors } from '@plant-store/contract/errors';
import { delay } from '../timing/delay.js';
import { connectionRefused, connectionReset } from './connection-error.js';
import type { DelayFault, Fault, MalformedFault, StatusFault } from './fault.js';
import { errorReply, type Reply, toResponse } from './reply.js';
import { ServiceError } from './service-error.js';

/** A request to be answered. */
export interface Answerable {
  /** Names the request in its reply. */
  readonly id: string;
  /** Carries the request out, and gives the reply that it gets when nothing goes wrong. */
  answer(): Reply;
}

/**
 * Answers a request with the fault that it meets, if any.
 *
 * @throws {TypeError} where `fetch` would, since no reply comes
 * @throws the reason of the signal when that ends during a delay
 */
export async function answerWithFault(
  request: Answerable,
  fault: Fault | undefined,
  signal: AbortSignal,
): Promise<Reply> {
  switch (fault?.kind) {
    case undefined:
      return request.answer();
    case 'delay':
      return answerLate(request, fault, signal);
    case 'drop':
      if (fault.stored) request.answer();
      throw connectionReset();
    case 'refuse':
      throw connectionRefused();
    case 'status':
      if (fault.stored) request.answer();
      return statusReply(request.id, fault);
    case 'malformed':
      return malform(request.answer(), fault.body);
  }
}

/**
 * Checks that a fault can be answered with.
 *
 * @throws {RangeError | TypeError} when its status, its headers or its body cannot be those of a response
 */
export function checkFault(fault: Fault): void {
  if (fault.kind === 'status') toResponse(statusReply('', fault));
}

async function answerLate(
  request: Answerable,
  { ms, stored }: DelayFault,
  signal: AbortSignal,
): Promise<Reply> {
  const reply = stored ? request.answer() : undefined;
  await delay(ms, signal);
  return reply ?? request.answer();
}

function statusReply(requestId: string, { status, headers = {}, body }: StatusFault): Reply {
  const errorName = errorNames.find((name) => errors[name].status === status);
  if (body !== undefined || errorName === undefined) return { status, headers, body: body ?? '' };
  return errorReply(requestId, new ServiceError(errorName, errors[errorName].example, headers));
}

const errorNames = Object.keys(errors) as ErrorName[];

function malform(reply: Reply, body: MalformedFault['body']): Reply {
  switch (body) {
    case 'html':
      return {
        ...reply,
        headers: { ...reply.headers, 'Content-Type': 'text/html; charset=utf-8' },
        body: '<!doctype html><title>Plants</title>',
      };
    case 'truncated':
      return { ...reply, body: reply.body.slice(0, reply.body.length / 2) };
    case 'empty':
      return { ...reply, body: '' };
  }
}
