import { describe, expect, it } from 'vitest';
import { listen } from '../../test/listen.js';
import { isNetworkError, NetworkError, wasNotSent } from './network-error.js';
import { isPlantStoreError, PlantStoreError } from './plant-store-error.js';
import { isTimeoutError, TimeoutError } from './timeout-error.js';
import { isUnexpectedResponseError, UnexpectedResponseError } from './unexpected-response-error.js';

const cause = new TypeError('fetch failed');
const options = { outcome: 'not_sent', cause } as const;
const errors = {
  NetworkError: new NetworkError('No reply', options),
  TimeoutError: new TimeoutError('No reply', options),
  UnexpectedResponseError: new UnexpectedResponseError('undeclared status', 502, 'x'.repeat(500), options),
};
const guards = {
  NetworkError: isNetworkError,
  TimeoutError: isTimeoutError,
  UnexpectedResponseError: isUnexpectedResponseError,
};
const names = Object.keys(errors) as (keyof typeof errors)[];

it.each(names)('a %s has its name and its cause, and differs from any other value', (name) => {
  const error = errors[name];
  expect(error).toBeInstanceOf(PlantStoreError);
  const outcome = name === 'UnexpectedResponseError' ? 'unknown' : 'not_sent';
  expect(error).toMatchObject({ name, cause, outcome });
  expect(error.stack?.startsWith(`${name}: ${error.message}`)).toBe(true);
  expect(names.filter((other) => guards[name](errors[other]))).toEqual([name]);
  expect(isPlantStoreError(error)).toBe(true);
  const lookalike = Object.assign(new Error('gone'), { name, status: 502, bodyStart: '' });
  for (const other of [lookalike, new DOMException('gone', name), cause, 'gone', null, undefined])
    expect([guards[name](other), isPlantStoreError(other)]).toEqual([false, false]);
});

it('an UnexpectedResponseError has the status and the first 200 characters of the body', () => {
  const message = 'Unexpected response with status 502: undeclared status';
  const parts = { message, status: 502, bodyStart: 'x'.repeat(200) };
  expect(errors.UnexpectedResponseError).toMatchObject(parts);
});

describe('wasNotSent', () => {
  /** What `fetch` throws, of a server that may be closed before. */
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
