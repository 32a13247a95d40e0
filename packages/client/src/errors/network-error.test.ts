import { describe, expect, it } from 'vitest';
import { listen } from '../../test/listen.js';
import { isNetworkError, NetworkError, wasNotSent } from './network-error.js';
import { UnexpectedResponseError } from './unexpected-response-error.js';

describe('NetworkError', () => {
  it('has its name in the stack and keeps its cause', () => {
    const cause = new TypeError('fetch failed');
    const error = new NetworkError('POST http://127.0.0.1/plants got no complete reply', {
      outcome: 'not_sent',
      cause,
    });
    expect(error.name).toBe('NetworkError');
    expect(error.stack).toMatch(/^NetworkError: POST http/);
    expect(error.cause).toBe(cause);
    expect(error.outcome).toBe('not_sent');
    expect(isNetworkError(error)).toBe(true);
  });

  it('is distinguished from every other error', () => {
    const others = [
      new UnexpectedResponseError('undeclared status', 502, ''),
      new DOMException('gone', 'NetworkError'),
      new TypeError('fetch failed'),
      undefined,
    ];
    expect(others.filter(isNetworkError)).toEqual([]);
  });
});

describe('wasNotSent', () => {
  it('is true when nothing listens', async () => {
    const server = await listen(() => {});
    await server.close();
    expect(wasNotSent(await errorOf(server.url))).toBe(true);
  });

  it('is true when nothing listens on any address of a name', async () => {
    const server = await listen(() => {});
    await server.close();
    expect(wasNotSent(await errorOf(server.url.replace('127.0.0.1', 'localhost')))).toBe(true);
  });

  it('is true when the name does not exist', async () => {
    expect(wasNotSent(await errorOf('http://plants.invalid'))).toBe(true);
  });

  it('is false when the connection breaks before the reply', async () => {
    const server = await listen((request) => request.socket.destroy());
    expect(wasNotSent(await errorOf(server.url))).toBe(false);
  });

  it('is false when the connection breaks within the body', async () => {
    const server = await listen((_, response) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write('{"name":', () => response.destroy());
    });
    expect(wasNotSent(await errorOf(server.url))).toBe(false);
  });

  const refused = Object.assign(new Error('refused'), { syscall: 'connect', code: 'ECONNREFUSED' });
  const reset = Object.assign(new Error('reset'), { syscall: 'read', code: 'ECONNRESET' });
  it.each([
    [new TypeError('fetch failed', { cause: refused }), true],
    [new TypeError('fetch failed', { cause: new AggregateError([refused, refused]) }), true],
    [new TypeError('fetch failed', { cause: new AggregateError([refused, reset]) }), false],
    [new TypeError('fetch failed', { cause: new AggregateError([]) }), false],
    [new TypeError('fetch failed', { cause: reset }), false],
    [Object.assign(new Error('Unable to connect'), { code: 'ConnectionRefused' }), true],
    [Object.assign(new Error('Unable to connect'), { code: 'ECONNREFUSED' }), true],
    [Object.assign(new Error('Network connection lost.'), { remote: true, retryable: true }), false],
    [{ cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } }, true],
    [new TypeError('Failed to fetch'), false],
    ['refused', false],
    [undefined, false],
  ])('for %o is %s', (error, expected) => {
    expect(wasNotSent(error)).toBe(expected);
  });
});

async function errorOf(url: string): Promise<unknown> {
  return fetch(url, { method: 'POST', body: '{}' })
    .then((response) => response.text())
    .then(
      () => {
        throw new Error('There was a response');
      },
      (error: unknown) => error,
    );
}
