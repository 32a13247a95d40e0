import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { createClient } from '@plant-store/client';
import { findFreePort } from '@plant-store/postgresql-server';
import { expect, it, onTestFinished } from 'vitest';
import { issueToken, main, startServe } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

it('keeps storing plants, and stops cleanly, when its log is no longer read', async () => {
  const folder = temporaryFolder();
  const token = await issueToken({ folder });
  const { command, baseUrl } = await startServe({ folder });
  const client = createClient({ baseUrl, token });
  command.process.stdout?.destroy();
  for (let id = 1; id <= 50; id++) {
    const { status } = await client.createPlant({ body: { id, name: 'Fern' } });
    expect(status).toBe(200);
    // Long enough for an attempt to write the log.
    if (id % 10 === 0) await sleep(120);
  }
  expect(await command.end('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' });
});

it('has a timestamp in each line', async () => {
  const { command, baseUrl } = await startServe({ folder: temporaryFolder() });
  const before: number[] = [];
  for (let count = 0; count < 3; count++) {
    await sleep(20);
    before.push(Date.now());
    await fetch(`${baseUrl}/plants`);
  }
  const { stdout } = await command.end('SIGTERM');
  const after = Date.now();

  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; time: string });
  const times = lines.filter(({ msg }) => msg === 'request').map(({ time }) => Date.parse(time));
  expect(times).toHaveLength(before.length);
  for (const [index, time] of times.entries()) {
    expect(time).toBeGreaterThanOrEqual(before[index] ?? Number.NaN);
    expect(time).toBeLessThanOrEqual(after);
  }
});

const fullDisk = '/dev/full';

// Linux, where CI runs, has a device that is always full.
it.runIf(existsSync(fullDisk))(
  'keeps storing plants, and stops cleanly, when its log cannot be written',
  async () => {
    const folder = temporaryFolder();
    const token = await issueToken({ folder });
    const port = await findFreePort();
    const service = spawn(process.execPath, [main, 'serve'], {
      cwd: folder,
      env: { PORT: String(port) },
      stdio: ['ignore', openSync(fullDisk, 'w'), 'inherit'],
    });
    onTestFinished(() => void service.kill('SIGKILL'));
    const ended = once(service, 'close');
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token });
    const create = async (id: number) => (await client.createPlant({ body: { id, name: 'Fern' } })).status;

    await until(() => create(1).catch(() => undefined));
    for (let id = 2; id <= 50; id++) {
      expect(await create(id)).toBe(200);
      if (id % 10 === 0) await sleep(120);
    }
    service.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
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

const createLogger = new URL('../../src/observe/logger.ts', import.meta.url);

it('leaves no timers once it is closed', async () => {
  const program = `
    import { createLogger } from ${JSON.stringify(createLogger)};
    const { log, close } = createLogger('info');
    log.info('the last line');
    await close();
    process.stderr.write(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').join());`;
  const { output, stderr } = await runProgram(program);
  expect(output).toMatch(/^\{.*"msg":"the last line"\}\n$/);
  expect(stderr).toBe('');
});

it('writes its last lines when the process crashes', async () => {
  const program = `
    import { createLogger } from ${JSON.stringify(createLogger)};
    const { log } = createLogger('info');
    setTimeout(() => {
      log.info('the last line');
      throw new Error('a crash');
    }, 50);`;
  const { output, exitCode } = await runProgram(program);
  expect(output).toMatch(/^\{.*"msg":"the last line"\}\n$/);
  expect(exitCode).toBe(1);
});

/** Runs a program that imports sources, in a new process, until it exits. */
async function runProgram(program: string) {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const child = spawn(process.execPath, ['--import', loader, '--input-type=module', '--eval', program]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [output, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { output, stderr, exitCode };
}
