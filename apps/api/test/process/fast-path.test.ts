import { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import supertest from 'supertest';
import { expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../src/http/server/create-server.js';
import { listen, openApp, silentLog } from '../support/open-app.js';
import { issueToken, startServe } from '../support/process/run-command.js';
import { openConnection } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const chunked = 'Content-Type: application/json\r\nTransfer-Encoding: chunked';
const fern = '{"id":1,"name":"Fern","tag":"shade"}';

/** Requests for every kind of reply, as sent over the wire; `<TOKEN>` is replaced with a valid token. */
const requests: readonly (readonly [kind: string, text: string])[] = [
  ['a plant is stored', post(fern)],
  ['it is stored already', post(fern)],
  ['its id is taken', post('{"id":1,"name":"Moss"}')],
  ['a text is not ASCII', post('{"id":2,"name":"Fougère \u{1f33f}"}')],
  ['an id is beyond 2^53', post('{"id":9223372036854775807,"name":"Fern"}')],
  ['the body is not JSON', post('{')],
  ['the body is not a plant', post('{"id":"x"}')],
  ['the body is chunked', post(`5\r\n${fern.slice(0, 5)}\r\n1f\r\n${fern.slice(5)}\r\n0\r\n\r\n`, chunked)],
  ['the body is too large', post(' '.repeat(200))],
  ['the content type is another', post(fern, 'Content-Type: text/plain')],
  ['the token is missing', 'POST /plants HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'],
  ['the token is unknown', request('POST', '/plants', 'Authorization: Bearer none\r\nContent-Length: 0')],
  ['the method is another', request('DELETE', '/plants', 'Origin: https://app.example')],
  ['the path is another', request('GET', '/nowhere')],
  ['there is no Host', 'GET /plants HTTP/1.1\r\nX-Request-Id: a\r\n\r\n'],
  ['the request is HEAD', request('HEAD', '/nowhere')],
  ['the target is invalid', request('GET', 'ftp://x/plants')],
  ['the request is HTTP/1.0', 'GET /plants HTTP/1.0\r\nX-Request-Id: a\r\n\r\n'],
  ['the request is CONNECT', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\n\r\n'],
  ['the request is not HTTP', 'nothing\r\n\r\n'],
  ['it is the document', request('GET', '/openapi.json')],
  ['it is a page', request('GET', '/docs')],
  ['a page has no such method', request('POST', '/docs')],
  ['a page does not exist', request('GET', '/docs/none')],
  ['the page has changed', request('GET', '/docs/swagger-ui.css')],
  ['an origin is allowed', request('GET', '/nowhere', 'Origin: https://app.example')],
  [
    'it is a preflight',
    request('OPTIONS', '/plants', 'Origin: https://app.example\r\nAccess-Control-Request-Method: POST'),
  ],
  ['the connection is closed', request('GET', '/nowhere', 'Connection: close')],
  ['a continuation is expected', post(fern, `Content-Type: application/json\r\nExpect: 100-continue`)],
];

function request(method: string, path: string, headers?: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\n${headers ? `${headers}\r\n` : ''}\r\n`;
}

function post(body: string, headers = 'Content-Type: application/json'): string {
  const length = headers.includes('chunked') ? '' : `\r\nContent-Length: ${Buffer.byteLength(body)}`;
  return request('POST', '/plants', `Authorization: Bearer <TOKEN>\r\n${headers}${length}`) + body;
}

it('sends the same bytes with and without the fast path', async () => {
  const [fast, plain] = await Promise.all([start('on'), start('off')]);
  for (const [kind, text] of requests) {
    const reply = await send(plain, text);
    expect(reply.length, kind).toBeGreaterThan(0);
    expect(await send(fast, text), kind).toEqual(reply);
  }
});

it('logs the same lines with and without the fast path', async () => {
  const [fast, plain] = await Promise.all([logRequests('on'), logRequests('off')]);
  expect(plain.map(({ status }) => status)).toEqual([401, 200, 404, 200]);
  expect(fast).toEqual(plain);
});

async function start(fastPath: 'on' | 'off'): Promise<TestService> {
  const service = await startTestService({
    FAST_PATH: fastPath,
    BODY_MAX_BYTES: '100',
    CORS_ORIGINS: 'https://app.example',
    RATE_LIMIT_PER_MINUTE: '20',
  });
  onTestFinished(async () => void (await service.stop()));
  return service;
}

/** Sends a request and reads the bodies and the sorted heads of the replies, with varying values replaced. */
async function send({ baseUrl, token }: TestService, text: string): Promise<readonly (string | string[])[]> {
  const connection = await openConnection(baseUrl);
  connection.write(text.replace('<TOKEN>', token));
  connection.end();
  const parts = (await connection.readToEnd()).split('\r\n\r\n');
  return parts.map((part) => (part.startsWith('HTTP/1.1 ') ? toComparableHead(part) : part));
}

function toComparableHead(head: string): string[] {
  return head
    .replace(/^Date: .*$/m, 'Date: any')
    .replace(/^X-Request-Id: [\da-f-]{36}$/m, 'X-Request-Id: generated')
    .replace(/^(RateLimit: .*; t=)\d+/m, '$1any')
    .split('\r\n')
    .toSorted();
}

/** The lines that the built service logs of some requests; what depends on the moment has only its type. */
async function logRequests(fastPath: 'on' | 'off'): Promise<readonly { status: unknown }[]> {
  const folder = temporaryFolder();
  const token = await issueToken({ folder });
  const { command, baseUrl } = await startServe({ folder, environment: { FAST_PATH: fastPath } });
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  await fetch(`${baseUrl}/plants`, { method: 'POST', body: fern });
  await fetch(`${baseUrl}/plants`, { method: 'POST', headers, body: fern });
  await fetch(`${baseUrl}/"\u{1f33f}"`);
  await fetch(`${baseUrl}/docs`);
  const { stdout } = await command.end('SIGTERM');
  const lines = stdout.split('\n').filter((line) => line.includes('"msg":"request"'));
  return lines.map((line) =>
    JSON.parse(line, (key, value) =>
      ['time', 'durationMs', 'requestId'].includes(key) ? typeof value : value,
    ),
  );
}

it('does not change the messages of Node.js and the replies of Express when it is off', async () => {
  const { app } = await openApp(silentLog, { FAST_PATH: 'off' });
  expect(app.response.json).toBe(express.response.json);

  const server = createServer(app, silentLog, { fastPath: false });
  const prototypes: unknown[] = [];
  server.prependListener('request', (request, response) => {
    prototypes.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
  });
  await supertest(await listen(server)).get('/plants');
  expect(prototypes[0]).toBe(IncomingMessage.prototype);
  expect(prototypes[1]).toBe(ServerResponse.prototype);
});
