import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { createCallerMemory } from '../../src/http/caller-memory.js';
import { jsonBody } from '../../src/http/json-body.js';
import { createServer } from '../../src/http/server.js';
import type { Turns } from '../../src/runtime/turns.js';
import { listen, silentLog } from '../support/open-app.js';
import { until } from '../support/until.js';

const bodyBytes = 2 ** 25;

it.each([
  { fastPath: true, memoryBytes: 2 ** 30, status: 200 },
  { fastPath: false, memoryBytes: 2 ** 30, status: 200 },
  // The rest of a body that is rejected is read in turns, too.
  { fastPath: true, memoryBytes: 2 ** 20, status: 503 },
  { fastPath: false, memoryBytes: 2 ** 20, status: 503 },
])(
  'stops reading a large body until it is the turn of its caller (%j)',
  async ({ fastPath, memoryBytes, status }) => {
    const waiting: (() => void)[] = [];
    let isOpen = false;
    const turns: Turns = {
      schedule: (_caller, cost, work) => (cost > 1 && !isOpen ? void waiting.push(work) : work()),
      wait: () => Promise.resolve(),
    };
    const app = express();
    app.post(
      '/plants',
      jsonBody({}, bodyBytes, createCallerMemory(memoryBytes), turns),
      (_request, response) => response.status(200).end('done'),
    );
    app.use(
      ((_error, _request, response, _next) =>
        void response.status(503).end('done')) satisfies express.ErrorRequestHandler,
    );
    const server = createServer(app, silentLog, { turns, fastPath });
    let received: Socket | undefined;
    server.on('connection', (socket) => {
      received = socket;
    });
    const { port } = new URL(await listen(server));
    const client = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void client.destroy());
    let reply = '';
    client.on('data', (chunk) => {
      reply += chunk;
    });
    client.write(
      `POST /plants HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${bodyBytes}\r\n\r\n`,
    );
    client.write(`"${'x'.repeat(bodyBytes - 2)}"`);

    await until(() => waiting.length > 0);
    await delay(100);
    expect(waiting.length).toBeLessThanOrEqual(2);
    expect(received?.bytesRead).toBeLessThan(bodyBytes / 4);
    waiting.shift()?.();
    await until(() => waiting.length > 0);

    isOpen = true;
    for (const work of waiting.splice(0)) work();
    if (reply === '') await once(client, 'data');
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    await until(() => (received?.bytesRead ?? 0) > bodyBytes);
  },
);
