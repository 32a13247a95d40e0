import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { createClient } from '@plant-store/client';
import { findFreePort } from '@plant-store/postgresql-server';
import { expect, it, onTestFinished } from 'vitest';
import { openFullPipe } from '../support/process/open-full-pipe.js';
import { issueToken, main } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { slackMs, until } from '../support/until.js';

const shutdownTimeoutMs = 1_000;
/** The longest time that a stop may take, as documented in docs/operate/deploy.md. */
const stopTimeoutMs = shutdownTimeoutMs + 2_000;

const fullDisk = '/dev/full';
// Linux, where CI runs, has a device that is always full.
const openFullDisk = existsSync(fullDisk) ? [() => openSync(fullDisk, 'w')] : [];
const openPipe = () => openFullPipe().writer;

type Output = () => number | 'pipe';
const outputs: [what: string, stdout: Output, stderr: Output, ...args: string[]][] = [
  ['its log has no reader any more', () => 'pipe', () => 'pipe'],
  ...openFullDisk.map((open): [string, Output, Output] => ['its log is not writable', open, () => 'pipe']),
  ['neither its log nor what the quickstart prints is read', openPipe, openPipe, '--quickstart'],
];

it.each<[what: string, stdout: Output, stderr: Output, ...args: string[]]>(outputs)(
  'stores plants, and stops in time with status 0, while %s',
  async (_, stdout, stderr, ...args) => {
    const folder = temporaryFolder();
    const token = await issueToken({ folder });
    const port = await findFreePort();
    const service = spawn(process.execPath, [main, 'serve', ...args], {
      cwd: folder,
      env: { PORT: String(port), SHUTDOWN_TIMEOUT_MS: String(shutdownTimeoutMs) },
      stdio: ['ignore', stdout(), stderr()],
    });
    onTestFinished(() => void service.kill('SIGKILL'));
    service.stdout?.destroy();
    const printed = service.stderr === null ? '' : text(service.stderr);
    const ended = once(service, 'close');
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token });
    const create = async (id: number) => (await client.createPlant({ body: { id, name: 'Fern' } })).status;
    await until(() => create(0).catch(() => undefined));
    for (let id = 1; id <= 20; id++) {
      expect(await create(id)).toBe(200);
      // Long enough for an attempt to write the log.
      if (id % 10 === 0) await sleep(120);
    }
    const signalledAt = performance.now();
    service.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(performance.now() - signalledAt).toBeLessThan(stopTimeoutMs + slackMs);
    expect(await printed).toBe('');
  },
);

const pseudoTerminal = '/usr/bin/script';

// Linux, where CI runs, has a program that runs another one on a terminal.
it.runIf(process.platform === 'linux' && existsSync(pseudoTerminal))(
  'is for a person on a terminal',
  async () => {
    const command = `exec '${process.execPath}' '${main}' serve`;
    const service = spawn(pseudoTerminal, ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd: temporaryFolder(),
      env: { PATH: process.env['PATH'], PORT: '0', ADMIN_PORT: '0' },
    });
    onTestFinished(() => void service.kill('SIGKILL'));
    const output = text(service.stdout);
    const listening = Promise.withResolvers<void>();
    service.stdout.on('data', (chunk: Buffer) => chunk.includes('listening') && listening.resolve());
    await listening.promise;
    service.stdin.write('\x03');
    const lines = stripVTControlCharacters(await output).split('\r\n');
    // The terminal echoes the Ctrl-C in front of a line.
    const time = String.raw`^(\^C)?\[\d\d:\d\d:\d\d\.\d\d\d\]`;
    expect(lines[0]).toMatch(new RegExp(`${time} INFO: listening {"baseUrl":"http://127.0.0.1:`));
    expect(lines).toContainEqual(expect.stringMatching(`${time} INFO: stopping .*"drainDelayMs":0}`));
    expect(lines).toContainEqual(expect.stringMatching(`${time} INFO: stopped {"inTime":true}`));
  },
);

const logger = new URL('../../src/observe/logger.ts', import.meta.url);
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

const script = `
  import { createLogger } from ${JSON.stringify(logger)};
  const { log } = createLogger('info');
  // More than is written in one piece.
  for (let count = 0; count < 2_000; count++) log.info('a line');
  log.info('the last line');
  throw new Error('a crash');`;

/** Runs a program that logs and then crashes, in a new process; returns its exit status. */
async function crash(stdout: number | Writable): Promise<unknown> {
  const args = ['--import', loader, '--input-type=module', '--eval', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [exitCode] = await once(child, 'close');
  return exitCode;
}

it.each(['is not read', 'cannot be written'])('exits after a crash while its output %s', async (what) => {
  for (const open of what === 'is not read' ? [openPipe] : openFullDisk) expect(await crash(open())).toBe(1);
});

it('has its last line after a crash, while its output is read', async () => {
  // A process of its own reads in time, however busy this one or the disk is.
  const reader = spawn('tail', ['-n', '1'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lastLine = text(reader.stdout);
  expect(await crash(reader.stdin)).toBe(1);
  reader.stdin.end();
  expect(await lastLine).toMatch(/"msg":"the last line"\}\n$/);
});
