import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { findFreePort } from '@plant-store/postgresql-server';
import { expect, it, onTestFinished } from 'vitest';
import { openFullPipe } from '../support/process/open-full-pipe.js';
import { main } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { slackMs, until } from '../support/until.js';

const shutdownTimeoutMs = 1_000;
/** The longest time that a stop may take, as documented in docs/operate/deploy.md. */
const stopTimeoutMs = shutdownTimeoutMs + 2_000;

async function startStuck(args: readonly string[], stderr: number | 'inherit') {
  const port = await findFreePort();
  const child = spawn(process.execPath, [main, 'serve', ...args], {
    cwd: temporaryFolder(),
    env: { PORT: String(port), SHUTDOWN_TIMEOUT_MS: String(shutdownTimeoutMs) },
    stdio: ['ignore', openFullPipe().writer, stderr],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const baseUrl = `http://127.0.0.1:${port}`;
  await until(() => fetch(baseUrl).catch(() => undefined));
  return { child, baseUrl };
}

it.each<[name: string, args: readonly string[], stderr: () => number | 'inherit']>([
  ['standard output', [], () => 'inherit'],
  ['standard output with a quickstart to print', ['--quickstart'], () => 'inherit'],
  ['its output', [], () => openFullPipe().writer],
])('answers requests, and stops in time with status 0, while %s is not read', async (_name, args, stderr) => {
  const { child, baseUrl } = await startStuck(args, stderr());
  for (let count = 0; count < 20; count++) expect((await fetch(baseUrl)).status).toBe(200);
  const ended = once(child, 'close');
  const signalledAt = performance.now();
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(performance.now() - signalledAt).toBeLessThan(stopTimeoutMs + slackMs);
});

const createLogger = new URL('../../src/observe/logger.ts', import.meta.url);
const crash = `
  import { createLogger } from ${JSON.stringify(createLogger)};
  const { log } = createLogger('info');
  // More than is written in one piece.
  for (let count = 0; count < 2_000; count++) log.info('a line');
  throw new Error('an error');`;

const fullDisk = '/dev/full';
const stuckOutputs: [name: string, open: () => number][] = [['is not read', () => openFullPipe().writer]];
// Linux, where CI runs, has a device that is always full.
if (existsSync(fullDisk)) stuckOutputs.push(['cannot be written', () => openSync(fullDisk, 'w')]);

it.each(stuckOutputs)('exits after a crash while its output %s', async (_name, open) => {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const child = spawn(process.execPath, ['--import', loader, '--input-type=module', '--eval', crash], {
    stdio: ['ignore', open(), 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(await once(child, 'close')).toEqual([1, null]);
});
