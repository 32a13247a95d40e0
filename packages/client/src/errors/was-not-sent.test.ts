import { describe, expect, it } from 'vitest';
import { listen } from '../../test/listen.js';
import { wasNotSent } from './was-not-sent.js';

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
