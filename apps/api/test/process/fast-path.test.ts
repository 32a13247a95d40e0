import { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import supertest from 'supertest';
import { expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../src/http/server.js';
import { comparedSettings, compareReplies } from '../support/compare-replies.js';
import { listen, openApp, silentLog } from '../support/open-app.js';
import { issueToken, startServe } from '../support/process/run-command.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

it('sends the same bytes with and without the fast path', async () => {
  const [fast, plain] = await Promise.all([start('on'), start('off')]);
  await compareReplies(plain, fast);
});

it('logs the same lines with and without the fast path', async () => {
  const [fast, plain] = await Promise.all([logRequests('on'), logRequests('off')]);
  expect(plain.map(({ status }) => status)).toEqual([401, 200, 404, 200]);
  expect(fast).toEqual(plain);
});

async function start(fastPath: 'on' | 'off'): Promise<TestService> {
  const service = await startTestService({ ...comparedSettings, FAST_PATH: fastPath });
  onTestFinished(async () => void (await service.stop()));
  return service;
}

/** The lines that the built service logs of some requests; what depends on the moment has only its type. */
async function logRequests(fastPath: 'on' | 'off'): Promise<readonly { status: unknown }[]> {
  const plant = '{"id":1,"name":"Fern","tag":"shade"}';
  const folder = temporaryFolder();
  const token = await issueToken({ folder });
  const { command, baseUrl } = await startServe({ folder, environment: { FAST_PATH: fastPath } });
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  await fetch(`${baseUrl}/plants`, { method: 'POST', body: plant });
  await fetch(`${baseUrl}/plants`, { method: 'POST', headers, body: plant });
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
