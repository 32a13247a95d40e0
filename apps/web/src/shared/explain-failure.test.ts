import {
  createClient,
  errors,
  NetworkError,
  TimeoutError,
  UnexpectedResponseError,
} from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { isRejectedError, unwrap } from '@plant-store/client/unwrap';
import { describe, expect, it } from 'vitest';
import { explainError, explainRejection, type Failure } from './explain-failure.js';

/** What the page makes of a reply of the service with this error. */
async function explain(
  { status, ...body }: { status: number; error: number; message: string },
  headers: Record<string, string> = {},
): Promise<Failure> {
  const store = createFakePlantStore();
  store.fail({
    kind: 'status',
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const { baseUrl, token, fetch } = store;
  const client = createClient({ baseUrl, token, fetch, retries: 0 });
  const error = await unwrap(client.createPlant({ body: { id: 1, name: 'Rose' } })).catch(
    (thrown: unknown) => thrown,
  );
  if (!isRejectedError(error)) throw new Error('The request was not rejected.', { cause: error });
  return explainRejection(error);
}

const ofOperation = Object.values(errors).filter(({ status }) => ![404, 405].includes(status));

describe('a reply of the service', () => {
  it.each(ofOperation)('$error is explained, in whole sentences', async ({ error, status, example }) => {
    const { about, message } = await explain({ error, status, message: example });
    expect(message).toMatch(/^.{20,}\.$/);
    const ofId: readonly number[] = [errors.id_taken.error, errors.id_retired.error];
    const ofPlant = ofId.includes(error) ? 'id' : 'plant';
    const expected = status === 400 ? ofPlant : status === 403 ? 'scope' : status < 403 ? 'token' : 'later';
    expect(about).toBe(expected);
  });

  it('names how long to wait', async () => {
    const { error, status, example: message } = errors.rate_limited;
    expect((await explain({ error, status, message }, { 'Retry-After': '7' })).message).toContain(
      'in 7 seconds',
    );
    expect((await explain({ error, status, message }, { 'Retry-After': '1' })).message).toContain(
      'in a moment',
    );
    expect((await explain({ error, status, message })).message).toContain('in a moment');
  });

  it('passes on why a token is rejected, and names the request of an error of the service', async () => {
    const rejected = await explain({ ...errors.invalid_token, message: 'The access token has expired.' });
    expect(rejected.message).toBe('The access token has expired. What you typed is kept.');
    const { message } = await explain(
      { ...errors.internal_error, message: 'An error.' },
      { 'X-Request-Id': 'request-7' },
    );
    expect(message).toContain('request id request-7.');
  });

  it('has the words of the service for a number of a later version', async () => {
    expect(await explain({ error: 40099, status: 400, message: 'Plants sleep at night.' })).toEqual({
      about: 'later',
      message: 'Plants sleep at night.',
      cause: 'Plants sleep at night.',
    });
  });
});

describe('a call without a reply', () => {
  const outcome = 'unknown';

  it.each([
    ['a time-out', new TimeoutError('', { outcome }), 'did not answer in time'],
    ['a broken connection', new NetworkError('', { outcome }), 'cannot be reached'],
    ['a page of a proxy', new UnexpectedResponseError('no JSON', 502, '<h1>'), 'status 502'],
    ['an error of the page', new TypeError('x is not a function'), 'x is not a function'],
  ])('%s is explained, and adding again is safe', (_, error, words) => {
    const { about, message } = explainError(error, true);
    expect(about).toBe('later');
    expect(message).toContain(words);
    expect(message).toContain('may be stored. Adding the same plant again is safe.');
  });

  it('does not claim that a plant may be stored that was certainly not sent', () => {
    const { message } = explainError(new NetworkError('', { outcome: 'not_sent' }), true);
    expect(message).toBe('The service cannot be reached, or the connection broke.');
  });

  it('names the missing network', () => {
    expect(explainError(new NetworkError('', { outcome }), false).message).toContain('offline');
  });
});
