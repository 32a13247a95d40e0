import {
  createClient,
  errors,
  isRejectedError,
  NetworkError,
  TimeoutError,
  UnexpectedResponseError,
  unwrap,
} from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { errorTexts } from '@plant-store/contract/error-texts';
import { describe, expect, it } from 'vitest';
import { explainError, explainFailure, explainRejection, type Failure } from './explain-failure.js';

interface Reply {
  readonly status: number;
  readonly error: number;
  readonly message: string;
}

/** How the page explains a reply with this error. */
async function explain(reply: Reply, headers?: Record<string, string>): Promise<Failure> {
  return explainRejection(await reject(reply, headers));
}

/** The error that a call throws for it. */
async function reject({ status, error, message }: Reply, others: Record<string, string> = {}) {
  const { fail, ...store } = createFakePlantStore();
  const headers = { 'Content-Type': 'application/json', ...others };
  fail({ kind: 'status', status, headers, body: JSON.stringify({ error, message }) });
  const call = unwrap(createClient({ ...store, retries: 0 }).createPlant({ body: { id: 1, name: 'Rose' } }));
  const thrown = await call.catch((reason: unknown) => reason);
  if (!isRejectedError(thrown)) throw new Error('The request was not rejected.', { cause: thrown });
  return thrown;
}

const ofOperation = (Object.keys(errors) as (keyof typeof errors)[])
  .map((name) => ({ ...errors[name], ...errorTexts[name] }))
  .filter(({ status }) => ![404, 405, 412, 501].includes(status));

describe('a reply of the service', () => {
  it.each(ofOperation)('$error is explained, in whole sentences', async ({ error, status, example }) => {
    const { about, message } = await explain({ error, status, message: example });
    expect(message).toMatch(/^.{20,}\.$/);
    const ofId: readonly number[] = [errors.id_taken.error, errors.id_retired.error];
    const ofPlant = ofId.includes(error) ? 'id' : 'plant';
    const expected = status === 400 ? ofPlant : status === 403 ? 'scope' : status < 403 ? 'token' : 'later';
    expect(about).toBe(expected);
  });

  it.each([
    ['rate_limited', { 'Retry-After': '7' }, 'Try again in 7 seconds.'],
    ['rate_limited', { 'Retry-After': '1' }, 'Try again in a moment.'],
    ['rate_limited', {}, 'Try again in a moment.'],
    ['invalid_token', {}, 'The message. Nothing you typed is lost.'],
    ['internal_error', { 'X-Request-Id': 'request-7' }, 'request ID request-7.'],
  ] as const)('says of %s with the headers %j what to do', async (name, headers, words) => {
    const { message } = await explain({ ...errors[name], message: 'The message.' }, headers);
    expect(message).toContain(words);
  });
});

describe('a call without a reply', () => {
  const request = {
    method: 'POST',
    url: 'https://example.com/plants',
    requestId: null,
    outcome: 'unknown' as const,
  };

  it.each([
    ['a time-out', new TimeoutError(request, 'no reply'), 'did not respond in time'],
    ['a broken connection', new NetworkError(request, 'no reply'), 'connection to the server failed'],
    ['a page of a proxy', new UnexpectedResponseError({ ...request, status: 502 }, 'no JSON'), 'status 502'],
    ['an error of the page', new TypeError('x is not a function'), 'x is not a function'],
  ])('%s is explained, and adding again is safe', (_, error, words) => {
    const { about, message } = explainError(error, true);
    expect(about).toBe('later');
    expect(message).toContain(words);
    expect(message).toContain('may have been saved. Trying again is safe.');
  });

  it('words failures of reads and changes differently from failures of creates', async () => {
    for (const { status, error, example } of ofOperation) {
      const rejected = await reject({ status, error, message: example });
      expect(explainFailure(rejected, 'read').message).not.toMatch(/saved|save changes|sent than|safe/);
      expect(explainFailure(rejected, 'change').message).not.toMatch(/plant may have been saved/);
    }
    const lost = new NetworkError(request, 'no reply');
    expect(explainError(lost, true, 'read').message).toBe('The connection to the server failed.');
    expect(explainError(lost, true, 'change').message).toMatch(
      /The change may have been saved\. Trying again is safe\.$/,
    );
  });

  it('does not claim that a plant may have been saved that was not sent, and names the missing network', () => {
    const error = new NetworkError({ ...request, outcome: 'not_sent' }, 'no reply');
    expect(explainError(error, true).message).toBe('The connection to the server failed.');
    expect(explainError(error, false).message).toBe('This device is offline. Connect, then try again.');
  });
});
