import { createServer as createPlainServer, IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import helmet from 'helmet';
import supertest from 'supertest';
import { expect, it } from 'vitest';
import { createServer } from '../../src/http/server.js';
import { comparedSettings, compareReplies } from '../support/compare-replies.js';
import { listen } from '../support/listen.js';
import { openApp, silentLog } from '../support/open-app.js';
import { startTestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

// Guards upgrades of Express and Node.js: the prototypes and `locals` of messages, and the parser calling `push` on requests. It
// fails where a shortcut of fast-path.ts is no longer taken.

const fern = { id: 1, name: 'Fern', tag: 'shade' };

/** An app on a new database, and how to create the fern on a server. */
async function open(environment: Readonly<Record<string, string>> = {}) {
  const { app, token } = await openApp(silentLog, environment);
  const post = (url: string, path = '/plants') =>
    supertest(url).post(path).auth(token, { type: 'bearer' }).send(fern);
  return { app, post };
}

/** The same with a server of the app. */
async function openServer(environment: Readonly<Record<string, string>> = {}) {
  const { app, post } = await open(environment);
  const server = createServer(app, silentLog, { fastPath: environment['FAST_PATH'] !== 'off' });
  return { app, server, post };
}

it('sends the same bytes with and without the fast path', async () => {
  const start = (FAST_PATH: string) => startTestService({ ...comparedSettings, FAST_PATH });
  const [fast, plain] = await Promise.all([start('on'), start('off')]);
  await compareReplies(plain, fast);
});

it('works behind Express middleware, mounted in another app', async () => {
  const { app, post } = await open();
  const outer = express();
  outer.use(helmet({ xFrameOptions: { action: 'sameorigin' } }));
  outer.use('/store', (request, response, next) => {
    response.set('X-Seen', `${request.method} ${request.path} ${request.get('content-type')}`);
    next();
  });
  outer.use('/store', app);
  for (const server of [createServer(outer, silentLog), createPlainServer(outer)]) {
    const { status, body, headers } = await post(await listen(server), '/store/plants');
    expect({ status, body }).toEqual({ status: 200, body: { name: 'Fern', tag: 'shade' } });
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'strict-transport-security': expect.any(String),
      'x-request-id': expect.any(String),
      'x-seen': 'POST /plants application/json',
    });
  }
});

it('works if others also read the body, and replace that of the reply', async () => {
  const { server, post } = await openServer();
  let seen = '';
  server.prependListener('request', (request, response) => {
    seen = '';
    request.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
    });
    const end = response.end.bind(response);
    response.end = (body?: unknown) => end(String(body).toLowerCase());
  });
  const url = await listen(server);
  // Until the token is cached, bodies arrive before their reader.
  await post(url);
  const { status, text } = await post(url);
  expect({ status, text }).toEqual({ status: 200, text: '{"name":"fern","tag":"shade"}' });
  expect(seen).toBe(JSON.stringify(fern));
});

it('reads a body without buffering it in its stream', async () => {
  const { server, post } = await openServer();
  const events: unknown[] = [];
  server.prependListener('request', (request) => {
    const emit = request.emit.bind(request);
    request.emit = (event: string, ...args: unknown[]) => {
      events.push(event);
      return emit(event, ...args);
    };
  });
  const url = await listen(server);
  await post(url);
  expect(events).toContain('data');
  events.length = 0;
  expect((await post(url)).status).toBe(200);
  expect(events).not.toContain('data');
});

it('writes the same head, each header once, even if middleware has set some before', async () => {
  const { server } = await openServer();
  let before: Readonly<Record<string, string>> = {};
  server.prependListener('request', (_request, response) => {
    for (const [name, value] of Object.entries(before)) response.setHeader(name, value);
  });
  const url = await listen(server);
  const readHead = async () => {
    const { headers, text } = await supertest(url).get('/nowhere');
    expect(headers['content-length']).toBe(String(text.length));
    return { ...headers, date: 'any', 'x-request-id': typeof headers['x-request-id'] };
  };
  const head = await readHead();
  // Node's client would join duplicate headers with a comma.
  expect(head).toMatchObject({ 'x-frame-options': 'DENY', 'x-request-id': 'string' });
  before = { 'X-Seen': 'yes', 'x-frame-options': 'SAMEORIGIN' };
  expect(await readHead()).toEqual({ ...head, 'x-seen': 'yes' });
});

it.each(['on', 'off'])(
  'creates messages with the prototypes that Express would set, and locals that it keeps, if it is on: %s',
  async (FAST_PATH) => {
    const { app, server } = await openServer({ FAST_PATH });
    const isOn = FAST_PATH === 'on';
    const seen: unknown[] = [];
    server.prependListener('request', (request, response) => {
      const readLocals = () => ('locals' in response ? response.locals : undefined);
      seen.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response), readLocals());
      response.on('close', () => seen.push(readLocals()));
    });
    expect((await supertest(await listen(server)).put('/plants')).status).toBe(405);
    expect(seen[0]).toBe(isOn ? app.request : IncomingMessage.prototype);
    expect(seen[1]).toBe(isOn ? app.response : ServerResponse.prototype);
    expect(app.response.json === express.response.json).toBe(!isOn);
    if (!isOn) return;
    expect(seen[2]).toBeTypeOf('object');
    await until(() => seen.length === 4);
    expect(seen[3]).toBe(seen[2]);
  },
);
