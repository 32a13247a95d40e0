import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import supertest from 'supertest';
import { expect, it } from 'vitest';
import { createServer } from '../../src/http/server.js';
import { listen, openApp, silentLog } from '../support/open-app.js';
import { until } from '../support/until.js';

const { resolve } = createRequire(import.meta.url);
const bundle = '/docs/swagger-ui-bundle.js';
const request = `GET ${bundle} HTTP/1.1\r\nHost: plants.example\r\n\r\n`;

/** Starts a server with only the app. */
async function start() {
  const { app } = await openApp();
  const server = createServer(app, silentLog);
  return { server, baseUrl: await listen(server) };
}

/** Sends pipelined requests on one connection, and disconnects after the first bytes of a reply. */
async function sendAndDisconnect(baseUrl: string, requests: string): Promise<void> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(requests);
  await new Promise((received) => socket.once('readable', received));
  socket.destroy();
}

function countDescriptors(): number {
  return readdirSync('/dev/fd').length;
}

it('keeps no file descriptor open for replies that are not read', async () => {
  const { baseUrl } = await start();
  const before = countDescriptors();
  for (let connection = 0; connection < 10; connection++)
    await sendAndDisconnect(baseUrl, request.repeat(100));
  await until(() => countDescriptors() <= before);
});

it('keeps one copy of a file for all replies', async () => {
  const { server, baseUrl } = await start();
  const sent: unknown[] = [];
  server.prependListener('request', (_request, response) => {
    const end = response.end.bind(response);
    response.end = (content?: unknown) => {
      sent.push(content);
      return end(content);
    };
  });
  for (const _ of [1, 2]) await supertest(baseUrl).get(bundle).buffer(false);
  expect(sent[0]).toBeInstanceOf(Buffer);
  expect(sent[1]).toBe(sent[0]);
});

it.each([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
])('serves %s with its type, cacheable for a day', async (name, type) => {
  const { baseUrl } = await start();
  const url = `${baseUrl}/docs/${name}`;
  const content = readFileSync(resolve(`swagger-ui-dist/${name}`));
  const expected = {
    'content-type': type,
    'content-length': String(content.length),
    'cache-control': 'public, max-age=86400',
    'last-modified': expect.stringMatching(/GMT$/),
  };

  const got = await fetch(url);
  expect(Object.fromEntries(got.headers)).toMatchObject(expected);
  expect(content.equals(await got.bytes())).toBe(true);

  const head = await fetch(url, { method: 'HEAD' });
  expect(Object.fromEntries(head.headers)).toMatchObject(expected);
  expect(await head.text()).toBe('');

  const lastModified = got.headers.get('Last-Modified') ?? '';
  const again = await supertest(url).get('').set('If-Modified-Since', lastModified);
  expect(again.status).toBe(304);
});
