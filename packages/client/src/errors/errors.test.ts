import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { listen } from '../../test/listen.js';
import * as own from '../index.js';
import { wasNotSent } from './network-error.js';
import type { RequestSummary } from './plant-store-error.js';

const cause = new TypeError('fetch failed');
const request: RequestSummary = {
  method: 'GET',
  url: 'https://example.com/plants',
  requestId: null,
  outcome: 'not_sent',
};
const reply: RequestSummary = { ...request, status: 502, requestId: 'a1', outcome: 'unknown' };
const rejected = { body: { error: 40003, message: 'Taken.' }, headers: new Headers() };

/** The errors of a copy of the package. */
const createErrors = ({
  NetworkError,
  RejectedError,
  TimeoutError,
  UnexpectedResponseError,
}: typeof own) => ({
  NetworkError: new NetworkError(request, 'no complete reply', cause),
  TimeoutError: new TimeoutError(request, 'no reply in 5 ms', cause),
  UnexpectedResponseError: new UnexpectedResponseError(reply, 'an unexpected body', cause, 'x'.repeat(500)),
  RejectedError: new RejectedError({ ...rejected, status: 400, request: { ...reply, outcome: 'rejected' } }),
});
const guardsOf = (copy: typeof own) => ({
  NetworkError: copy.isNetworkError,
  TimeoutError: copy.isTimeoutError,
  UnexpectedResponseError: copy.isUnexpectedResponseError,
  RejectedError: (error: unknown) => copy.isRejectedError(error),
});
const errors = createErrors(own);
const names = Object.keys(errors) as (keyof typeof errors)[];

vi.resetModules();
const copy = await import('../index.js');

it.each(names)('a %s has its name, and differs from any other value, in each copy of the package', (name) => {
  const error = errors[name];
  expect(error).toBeInstanceOf(own.PlantStoreError);
  expect(error).not.toBeInstanceOf(copy.PlantStoreError);
  expect(error.name).toBe(name);
  expect(error.stack?.startsWith(`${name}: ${error.message}`)).toBe(true);
  const lookalike = Object.assign(new Error('gone'), { name, status: 502, error: 40003, bodyStart: '' });
  for (const { isPlantStoreError, ...each } of [own, copy]) {
    const guards = guardsOf({ isPlantStoreError, ...each });
    expect(names.filter((other) => guards[name](errors[other]))).toEqual([name]);
    expect(isPlantStoreError(error)).toBe(true);
    for (const other of [lookalike, new DOMException('gone', name), cause, 'gone', null, undefined])
      expect([guards[name](other), isPlantStoreError(other)]).toEqual([false, false]);
  }
});

it('an UnexpectedResponseError has the first 200 characters of the body, which is not printed', () => {
  const { UnexpectedResponseError: error } = errors;
  expect(error.bodyStart).toBe('x'.repeat(200));
  expect(inspect(error) + JSON.stringify(error)).not.toContain('xx');
});

describe('wasNotSent', () => {
  /** The error of `fetch` for a server that may already be closed. */
  async function errorOf(server: Awaited<ReturnType<typeof listen>>, host = '127.0.0.1', closed = false) {
    if (closed) await server.close();
    const response = fetch(server.url.replace('127.0.0.1', host), { method: 'POST', body: '{}' });
    return response.then((reply) => reply.text()).catch((error: unknown) => error);
  }

  it.each(['127.0.0.1', 'localhost', 'plants.invalid'])('is true if nothing listens on %s', async (host) => {
    expect(wasNotSent(await errorOf(await listen(() => {}), host, true))).toBe(true);
  });

  it('is false when the connection breaks before the reply, or within the body', async () => {
    const before = await errorOf(await listen((request) => request.socket.destroy()));
    const within = await errorOf(
      await listen((_, response) => {
        response.writeHead(200, { 'content-length': 1000 });
        response.write('{"name":', () => response.destroy());
      }),
    );
    for (const error of [before, within]) {
      expect(error).toBeInstanceOf(TypeError);
      expect(wasNotSent(error)).toBe(false);
    }
  });

  const refused = Object.assign(new Error('refused'), { syscall: 'connect', code: 'ECONNREFUSED' });
  const reset = Object.assign(new Error('reset'), { syscall: 'read', code: 'ECONNRESET' });

  it.each<[unknown, boolean]>([
    [{ cause: refused }, true],
    [{ cause: new AggregateError([refused, refused]) }, true],
    [{ code: 'ConnectionRefused' }, true],
    [{ code: 'ECONNREFUSED' }, true],
    [{ cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } }, true],
    [{ cause: new AggregateError([refused, reset]) }, false],
    [{ cause: new AggregateError([]) }, false],
    [{ cause: reset }, false],
    [{ message: 'Network connection lost.', remote: true, retryable: true }, false],
    [new TypeError('Failed to fetch'), false],
    ['refused', false],
    [undefined, false],
  ])('of %o is %s', (error, expected) => {
    expect(wasNotSent(error)).toBe(expected);
  });
});
