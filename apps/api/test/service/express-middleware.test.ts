import { createServer as createPlainServer } from 'node:http';
import express from 'express';
import helmet from 'helmet';
import supertest from 'supertest';
import { expect, it } from 'vitest';
import { createServer } from '../../src/http/server.js';
import { listen, silentLog as log, openApp } from '../support/open-app.js';
import { until } from '../support/until.js';

// Guards upgrades of Express and Node.js: the prototypes and `locals` of messages, and the parser calling `push` on requests. It
// fails where a shortcut of fast-path.ts is no longer taken.

it('works behind Express middleware, mounted in another app', async () => {
  const { app, token } = await openApp();
  const outer = express();
  outer.use(helmet({ xFrameOptions: { action: 'sameorigin' } }));
  outer.use('/store', (request, response, next) => {
    response.set('X-Seen', `${request.method} ${request.path} ${request.get('content-type')}`);
    next();
  });
  outer.use('/store', app);

  const post = (server: string) =>
    supertest(server).post('/store/plants').auth(token, { type: 'bearer' }).send(fern);
  for (const server of [createServer(outer, log), createPlainServer(outer)]) {
    const { status, body, headers } = await post(await listen(server));
    expect({ status, body }).toEqual({ status: 200, body: { name: 'Fern', tag: 'shade' } });
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'strict-transport-security': expect.any(String),
      'x-request-id': expect.any(String),
      'x-seen': 'POST /plants application/json',
    });
  }
});

const fern = { id: 1, name: 'Fern', tag: 'shade' };

/** Returns a function that posts the fern, once the token is cached: before that, bodies arrive before their reader. */
async function createPoster(server: string, token: string) {
  const post = () => supertest(server).post('/plants').auth(token, { type: 'bearer' }).send(fern);
  await post();
  return post;
}

it('works if others also read the body, and replace that of the reply', async () => {
  const { app, token } = await openApp();
  const server = createServer(app, log);
  let seen = '';
  server.prependListener('request', (request, response) => {
    seen = '';
    request.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
    });
    const end = response.end.bind(response);
    response.end = (body?: unknown) => end(String(body).toLowerCase());
  });
  const post = await createPoster(await listen(server), token);

  const { status, text } = await post();
  expect({ status, text }).toEqual({ status: 200, text: '{"name":"fern","tag":"shade"}' });
  expect(seen).toBe(JSON.stringify(fern));
});

it('reads a body without buffering it in its stream', async () => {
  const { app, token } = await openApp();
  const server = createServer(app, log);
  const events: unknown[] = [];
  server.prependListener('request', (request) => {
    const emit = request.emit.bind(request);
    request.emit = (event: string, ...args: unknown[]) => {
      events.push(event);
      return emit(event, ...args);
    };
  });
  const post = await createPoster(await listen(server), token);
  expect(events).toContain('data');
  events.length = 0;

  expect((await post()).status).toBe(200);
  expect(events).not.toContain('data');
});

it('writes the same head, each header once, even if middleware has set some before', async () => {
  const { app } = await openApp();
  const server = createServer(app, log);
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
  expect(head).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-frame-options': 'DENY',
    'x-request-id': 'string',
  });
  before = { 'X-Seen': 'yes', 'x-frame-options': 'SAMEORIGIN' };
  expect(await readHead()).toEqual({ ...head, 'x-seen': 'yes' });
});

it('creates messages with the prototypes that Express would set, and with locals that it keeps', async () => {
  const { app } = await openApp();
  const server = createServer(app, log);
  const prototypes: unknown[] = [];
  const locals: unknown[] = [];
  server.prependListener('request', (request, response) => {
    prototypes.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
    const read = () => ('locals' in response ? response.locals : undefined);
    locals.push(read());
    response.on('close', () => locals.push(read()));
  });
  expect((await supertest(await listen(server)).put('/plants')).status).toBe(405);
  expect(prototypes[0]).toBe(app.request);
  expect(prototypes[1]).toBe(app.response);
  expect(locals[0]).toBeTypeOf('object');
  await until(() => locals.length === 2);
  expect(locals[1]).toBe(locals[0]);
});

it('sends the security headers with every reply, and lets a page load its own script', async () => {
  const { app, token } = await openApp();
  const server = await listen(createServer(app, log));
  const bearer = { type: 'bearer' } as const;
  const replies = [
    await supertest(server).post('/plants').auth(token, bearer).send({ id: 1, name: 'Fern' }),
    await supertest(server).post('/plants').send({}),
    await supertest(server).get('/nowhere'),
    await supertest(server).get('/openapi.json'),
    await supertest(server).get('/docs'),
  ];
  expect(replies.map(({ status }) => status)).toEqual([200, 401, 404, 200, 200]);
  for (const { headers } of replies) {
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-request-id': expect.any(String),
      'content-security-policy': expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'$/),
    });
  }
});
