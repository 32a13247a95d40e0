import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import supertest from 'supertest';
import { expect, it } from 'vitest';
import { createServer } from '../../src/http/server.js';
import { listen, openApp, silentLog } from '../support/open-app.js';
import { until } from '../support/until.js';
import { viewerPaths } from '../support/viewer-files.js';

const bundle = viewerPaths.swaggerUiScript;
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
