import { closeSync, openSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '@plant-store/postgresql-server';
import { formatMemory, medians, writeJson } from '@plant-store/report';
import { sqliteIn } from '../databases/sqlite.js';
import type { Environment } from '../environment/environment.js';
import { describeMachine, machineLine } from '../environment/machine.js';
import { resultFiles } from '../paths.js';
import { readResidentMemory } from '../processes/process-memory.js';
import { processEnd, startProcess } from '../processes/start-process.js';
import { plantStore } from '../targets/plant-store.js';
import type { StartResults } from './start-results.js';

const pollMs = 2;
const startTimeoutMs = 30_000;
const stopTimeoutMs = 30_000;
const idleMs = 2_000;

/** Measures starts of the service on a migrated database, prints the medians and writes the results. */
export async function measureStartTime(count: number, { folder, print, log }: Environment): Promise<void> {
  const machine = await describeMachine(folder);
  const starts: StartResults['starts'] = [];
  for (let start = 1; start <= count; start++) {
    const figures = await startOnce(folder, start);
    starts.push(figures);
    log(
      `start ${start}/${count}: ${figures.firstReplyMs.toFixed(0)} ms, ${formatMemory(figures.idleMemoryBytes)}`,
    );
  }
  const results: StartResults = { machine, ...medians(starts, 'firstReplyMs', 'idleMemoryBytes'), starts };
  writeJson(resultFiles.start, results);
  print(
    `From the start of the process to the first reply with 200: ${results.firstReplyMs.toFixed(0)} ms\n` +
      `Memory when idle: ${formatMemory(results.idleMemoryBytes)}\n` +
      `Medians of ${count} starts. ${machineLine(machine)}\n`,
  );
}

/** Starts the service on a given port, so that requests can be sent from the first moment on. */
async function startOnce(folder: string, id: number): Promise<StartResults['starts'][number]> {
  const port = await findFreePort();
  const { file, args, environment, token } = await plantStore.prepare(sqliteIn(folder).url);
  const log = openSync(join(folder, 'start.log'), 'w');
  const startedAtMs = performance.now();
  const child = startProcess(file, args, {
    environment: { ...environment, PORT: String(port) },
    stdout: log,
    stderr: log,
  });
  closeSync(log);
  while ((await postPlant(port, token, id)) !== 200) {
    if (performance.now() - startedAtMs > startTimeoutMs) throw new Error('The service does not reply');
    await delay(pollMs);
  }
  const firstReplyMs = performance.now() - startedAtMs;
  await delay(idleMs);
  const idleMemoryBytes = await readResidentMemory(child.pid ?? 0);
  child.kill('SIGTERM');
  await processEnd(child, stopTimeoutMs);
  return { firstReplyMs, idleMemoryBytes };
}

/** The status of the reply to a create, or `undefined` while the service is not listening. */
function postPlant(port: number, token: string, id: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    request(
      {
        host: '127.0.0.1',
        port,
        path: '/plants',
        method: 'POST',
        headers,
        agent: false,
        timeout: startTimeoutMs,
      },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    )
      .on('error', () => resolve(undefined))
      .end(JSON.stringify({ id, name: 'Monstera deliciosa', tag: 'houseplant' }));
  });
}
