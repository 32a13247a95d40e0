import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from './free-port.js';
import { main } from './run-command.js';
import { temporaryFolder } from './temporary-folder.js';

/** A pipe that is full and that nobody reads; gives its end for writing, in the mode that a shell gives it. */
function openFullPipe(): number {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const writer = openSync(path, 'w');
  for (const size of [4096, 1]) {
    const chunk = Buffer.alloc(size, '\n');
    expect(() => {
      for (;;) writeSync(reader, chunk);
    }).toThrow('EAGAIN');
  }
  onTestFinished(() => {
    closeSync(reader);
    closeSync(writer);
  });
  return writer;
}

async function startStuck(args: readonly string[], stderr: number | 'inherit') {
  const port = await freePort();
  const child = spawn(process.execPath, [main, 'serve', ...args], {
    cwd: temporaryFolder(),
    env: { PORT: String(port), SHUTDOWN_TIMEOUT_MS: '1000' },
    stdio: ['ignore', openFullPipe(), stderr],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const baseUrl = `http://127.0.0.1:${port}`;
  await vi.waitUntil(() => fetch(baseUrl).catch(() => undefined), { timeout: 30_000 });
  return { child, baseUrl };
}

it.each<[name: string, args: readonly string[], stderr: () => number | 'inherit']>([
  ['standard output', [], () => 'inherit'],
  ['standard output with a quickstart to print', ['--quickstart'], () => 'inherit'],
  ['standard output and standard error', [], openFullPipe],
])('answers requests, and stops with status 0, while nobody reads %s', async (_name, args, stderr) => {
  const { child, baseUrl } = await startStuck(args, stderr());
  for (let count = 0; count < 20; count++) expect((await fetch(baseUrl)).status).toBe(404);
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

const createLog = new URL('../../src/operations/create-log.ts', import.meta.url);
const crash = `
  import { createLog } from ${JSON.stringify(createLog)};
  const { log } = createLog('info');
  // More than is written at a time.
  for (let count = 0; count < 2_000; count++) log.info('a line');
  throw new Error('a fault');`;

const fullDisk = '/dev/full';
it.each<[name: string, open: (() => number) | undefined]>([
  ['is read by nobody', openFullPipe],
  // Linux has a device that is always full; CI runs there.
  ['cannot be written', existsSync(fullDisk) ? () => openSync(fullDisk, 'w') : undefined],
])('ends when it crashes while its output %s', async (_name, open) => {
  if (open === undefined) return;
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const child = spawn(process.execPath, ['--import', loader, '--input-type=module', '--eval', crash], {
    stdio: ['ignore', open(), 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(await once(child, 'close')).toEqual([1, null]);
});
