import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { fetchKeySet } from './provider-keys.js';

/** An identity provider that gives each request the same reply; returns its address. */
async function startProvider(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
}

const fetchFrom = (url: string) => fetchKeySet(url, AbortSignal.timeout(10_000));
/** A key set of so many bytes. */
const keySetOf = (bytes: number) => '{"keys":[]}'.padEnd(bytes);

it('asks for a key set, or for JSON', async () => {
  let accepted: string | undefined;
  const url = await startProvider(({ headers }, response) => {
    accepted = headers.accept;
    response.end(keySetOf(0));
  });
  expect(await fetchFrom(url)).toEqual({ keys: [] });
  expect(accepted).toBe('application/jwk-set+json, application/json');
});

it.each([
  [201, ''],
  [299, ''],
  [300, '; redirects are not followed'],
  [399, '; redirects are not followed'],
  [400, ''],
  [500, ''],
])('rejects the status %d', async (status, hint) => {
  const url = await startProvider((_, response) => response.writeHead(status, { Location: '/' }).end('{}'));
  await expect(fetchFrom(url)).rejects.toThrow(
    expect.objectContaining({ message: `${url} answered with status ${status}${hint}` }),
  );
});

it('reads 256 KiB, and no byte more', async () => {
  const largest = await startProvider((_, response) => response.end(keySetOf(2 ** 18)));
  expect(await fetchFrom(largest)).toEqual({ keys: [] });
  const tooLarge = await startProvider((_, response) => response.end(keySetOf(2 ** 18 + 1)));
  await expect(fetchFrom(tooLarge)).rejects.toThrow('answered with more than 262144 bytes');
});

it('does not quote what is not JSON, and keeps the cause', async () => {
  const url = await startProvider((_, response) => response.end('secret'));
  await expect(fetchFrom(url)).rejects.toThrow(
    expect.objectContaining({ message: `${url} did not answer with JSON`, cause: expect.any(SyntaxError) }),
  );
});

it('names the code of the error when the connection breaks', async () => {
  const url = await startProvider((request) => request.socket.destroy());
  await expect(fetchFrom(url)).rejects.toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/^http:\S+ does not answer: (UND_ERR_SOCKET|ECONNRESET)$/),
      cause: expect.any(Error),
    }),
  );
});

it('names what is wrong where there is no code, such as a port that fetch does not use', async () => {
  await expect(fetchFrom('http://127.0.0.1:1/keys')).rejects.toThrow('/keys does not answer: bad port');
});

it('ends at the signal, and says why', async () => {
  const url = await startProvider(() => undefined);
  await expect(fetchKeySet(url, AbortSignal.abort(new Error('It took too long')))).rejects.toThrow(
    `${url} does not answer: It took too long`,
  );
});
