import { EventEmitter } from 'node:events';
import { openSync, statSync } from 'node:fs';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createTokenManagement } from '@plant-store/records';
import express, { type Response } from 'express';
import { expect, it, onTestFinished } from 'vitest';

import { cacheSize, createTokenService, generateAccessToken } from '../../src/auth/token-service.js';
import { OverloadError } from '../../src/errors/service-error.js';
import { createCallerMemory } from '../../src/http/caller-memory.js';
import { createExchanges, type Exchange } from '../../src/http/exchanges.js';
import { lingerOnClose } from '../../src/http/linger.js';
import { limitAuthentication, maxRemembered } from '../../src/http/middleware/limit-authentication.js';
import { createBatchedFind } from '../../src/http/routes/create-batched-find.js';
import { createServer } from '../../src/http/server.js';
import { createOutputWriter } from '../../src/observe/logger.js';
import { createListGate } from '../../src/runtime/list-gate.js';
import { createTurns } from '../../src/runtime/turns.js';
import { listen } from '../support/listen.js';
import { openApp, silentLog } from '../support/open-app.js';
import { createTestQueue, databaseOf, highQueueLimits } from '../support/plants/create-test-queue.js';
import { readPage } from '../support/read-markdown.js';
import { openConnection, sendRaw } from '../support/send-raw.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const never = () => new Promise<never>(() => undefined);
const alone = { count: () => 1 };

/** A reply to a list of a caller. */
function createResponse(id: number): Response {
  const response = new ServerResponse(Object.assign(new IncomingMessage(new Socket()), { method: 'GET' }));
  return Object.assign(response, { locals: { accessToken: { id } } }) as unknown as Response;
}

/** How often something succeeds for one caller until it is rejected; after that it must succeed for another one. */
function countUntilRejected(take: (caller: number) => boolean): number {
  let count = 0;
  while (take(1)) count++;
  expect(take(2)).toBe(true);
  return count;
}

/** The same of what is rejected as overloaded, and waits for ever otherwise. */
async function countWaiting(wait: (caller: number) => Promise<unknown>): Promise<number> {
  const isWaiting = (caller: number) => Promise.race([wait(caller).catch((error) => error), nextTurn()]);
  let count = 0;
  while (!((await isWaiting(1)) instanceof OverloadError)) count++;
  expect(await isWaiting(2)).toBeUndefined();
  return count;
}

/** Tries what a row of the table says, by its first column. */
const trials: Readonly<Record<string, () => Promise<void> | void>> = {
  'unread replies; shared bytes count once'() {
    const memory = createCallerMemory(1_000_000);
    const take = (caller: number, reply: string | Buffer) => {
      try {
        memory.holdReply(createResponse(caller), reply, 10_000);
        return true;
      } catch {
        return false;
      }
    };
    const shared = Buffer.alloc(10_000);
    for (let reply = 0; reply < 1_000; reply++) expect(take(1, shared)).toBe(true);
    expect(memory.held).toBe(10_000);
    expect(countUntilRejected((caller) => take(caller, Buffer.alloc(10_000)))).toBe(49);
  },
  bodies() {
    const memory = createCallerMemory(1_000_000);
    expect(countUntilRejected((caller) => memory.holdBody(createResponse(caller), 10_000))).toBe(50);
  },
  async 'batch items, 256 bytes each'() {
    const limits = { ...highQueueLimits, queueRecords: 10_000 };
    const queue = createTestQueue(databaseOf({ create: never, change: never }), { limits });
    const settings = { BODY_MAX_BYTES: '60000', BODY_MEMORY_MAX_BYTES: '120000' };
    const { app, token } = await openApp(silentLog, settings, { queue });
    const url = await listen(createServer(app, silentLog));
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const plants = Array.from({ length: 1_000 }, (_, id) => ({ id, name: 'Fern' }));
    const body = JSON.stringify({ plants });
    const statuses: number[] = [];
    for (let batch = 0; batch < 2; batch++)
      // The one that is accepted gets no reply.
      fetch(`${url}/plants/batch`, { method: 'POST', headers, body })
        .then(({ status }) => statuses.push(status))
        .catch(() => undefined);
    await until(() => statuses.length > 0);
    expect(statuses).toEqual([503]);
  },
  async 'waiting lists'() {
    const gate = createListGate({ concurrency: 1, callers: alone, waitingShare: () => 0 });
    const wait = (caller: number) => gate.read(caller, { isWanted: () => true, read: never });
    expect(await countWaiting(wait)).toBe(128);
  },
  async 'plants to look up'() {
    const find = createBatchedFind({ find: never });
    let id = 0n;
    // Those of the first query wait no more.
    expect(await countWaiting((caller) => find(id++, caller))).toBeLessThan(5_100);
  },
  async 'plants to commit'() {
    const limits = { ...highQueueLimits, queueRecords: 1_000 };
    const queue = createTestQueue(databaseOf({ create: never, change: never }), { limits });
    let id = 0n;
    const wait = (caller: number) =>
      queue.writerOf<{ name: string }>('plant', caller).create({ id: id++, name: 'Fern' });
    expect(await countWaiting(wait)).toBeLessThanOrEqual(600);
  },
  'pipelined requests on a connection'() {
    const exchanges = createExchanges(() => undefined);
    const connections = Array.from({ length: 2_000 }, () => {
      const socket = new Duplex({ read() {}, write() {} });
      const add = (size: number) => {
        const request = { socket, url: '/', rawHeaders: ['X-Head', 'x'.repeat(size)] };
        const response = Object.assign(new EventEmitter(), { writableFinished: false });
        exchanges.add({ request, response } as unknown as Exchange);
      };
      return { socket, add };
    });
    for (const { socket, add } of connections) {
      add(0);
      for (let request = 0; request < 20 && !socket.isPaused(); request++) add(15_000);
    }
    const kept = connections.filter(({ socket }) => !socket.destroyed);
    expect(kept.every(({ socket }) => socket.isPaused())).toBe(true);
    // Of each as many as take 64 KiB, and of all 48 MiB.
    expect(kept.length * 4 * 15_000).toBeLessThan(48 * 2 ** 20);
    expect(kept.length * 4 * 20_000).toBeGreaterThan(40 * 2 ** 20);
  },
  async 'a stalled reply'() {
    const times = { requestMs: 60_000, headersMs: 20_000, keepAliveMs: 65_000 };
    const limits = { ...times, stalledMs: 100, checkIntervalMs: 20 };
    const app = express().use((_request, response) => void response.end('x'.repeat(2 ** 25)));
    const server = createServer(app, silentLog, { limits });
    const connection = await openConnection(await listen(server));
    onTestFinished(() => connection.destroy());
    connection.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const count = promisify(server.getConnections.bind(server));
    await until(async () => (await count()) === 0);
  },
  async 'request heads'() {
    const { app } = await openApp();
    const url = await listen(createServer(app, silentLog));
    for (const lines of [`X-Head: ${'x'.repeat(16_384)}\r\n`, 'A: b\r\n'.repeat(2_001)]) {
      const { status } = await sendRaw(url, `GET /plants HTTP/1.1\r\nHost: a\r\n${lines}\r\n`);
      expect(status).toBe(400);
    }
  },
  async 'lingering connections'() {
    const server = createServer(express(), silentLog);
    const none = createExchanges(() => undefined);
    const linger = lingerOnClose(server, none, createTurns(alone));
    const sockets = Array.from({ length: 257 }, () => new Socket());
    onTestFinished(() => void sockets.map((socket) => socket.destroy()));
    for (const socket of sockets) linger(socket);
    await until(() => sockets.some(({ destroyed }) => destroyed));
    expect(sockets.findIndex(({ destroyed }) => destroyed)).toBe(256);
  },
  async 'cached token look-ups'() {
    let lookUps = 0;
    const tokens = createTokenService({
      findByHash: async () => {
        lookUps++;
        return null;
      },
    } as unknown as Parameters<typeof createTokenService>[0]);
    const texts = Array.from({ length: cacheSize + 1 }, generateAccessToken);
    const verify = (index: number) => tokens.verify(texts[index] ?? '');
    for (let index = 0; index <= cacheSize; index++) await verify(index);
    await verify(cacheSize);
    expect(lookUps).toBe(cacheSize + 1);
    await verify(0);
    expect(lookUps).toBe(cacheSize + 2);
  },
  async 'addresses with invalid tokens'() {
    const verify = limitAuthentication({
      accessTokens: { verifyCached: () => undefined, verify: async () => ({ status: 'unknown' }) },
      authFailuresPerMinute: 1,
      log: { warn: () => undefined },
      stopping: new AbortController().signal,
    } as unknown as Parameters<typeof limitAuthentication>[0]);
    const send = async (number: number) => {
      const remoteAddress = `10.0.${number >> 8}.${number & 255}`;
      const request = { headers: {}, ips: [], socket: { remoteAddress } };
      return verify(request as unknown as Parameters<typeof verify>[0], 'wrong', undefined);
    };
    await send(0);
    await expect(send(0)).rejects.toThrow();
    for (let number = 1; number <= maxRemembered; number++) await send(number);
    await expect(send(0)).resolves.toMatchObject({ status: 'unknown' });
  },
  async 'tokens created over HTTP'() {
    const valid = Array.from({ length: 999 }, (_, id) => ({ id, revokedAt: null, expiresAt: null }));
    const store = {
      async addWithinLimit(limit: number, { name, scopes }: { name: string; scopes: readonly string[] }) {
        if (valid.length >= limit) return null;
        const token = { id: valid.length, revokedAt: null, expiresAt: null };
        valid.push(token);
        return { ...token, name, scopes, createdAt: new Date() };
      },
    } as unknown as Parameters<typeof createTokenService>[0];
    const tokens = createTokenManagement(createTokenService(store), 0, () => undefined);
    const create = () =>
      tokens.create({ name: 'x', scopes: ['admin'] }, { by: { subject: 'x' }, scopes: ['admin'] });
    await expect(create()).resolves.toMatchObject({ name: 'x' });
    await expect(create()).rejects.toMatchObject({ errorName: 'invalid_token_request' });
  },
  async 'unwritten log lines'() {
    const path = join(temporaryFolder(), 'log');
    const writer = createOutputWriter(openSync(path, 'w'));
    const line = `${'x'.repeat(2 ** 20 - 1)}\n`;
    for (let count = 0; count < 20; count++) writer.write(line);
    await writer.end(60_000);
    expect(statSync(path).size).toBe(2 ** 24);
  },
};

it('each row of what can grow has a trial', () => {
  const [, section = ''] = readPage('docs/SECURITY.md').split('## What can grow\n');
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| ([^|]+?) \| .+ \| .+ \|$/gm)];
  expect(rows.map(([, title]) => title).slice(1)).toEqual(Object.keys(trials));
});

it.each(Object.entries(trials))('bounds %s', (_, trial) => trial());
