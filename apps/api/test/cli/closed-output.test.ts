import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { fillStore } from '../support/process/fill-store.js';
import { failed, main, startCommand, watchCommand } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
beforeAll(async () => {
  await fillStore(folder, [[1n, 'Fern', null]]);
  await list('token create --name shop');
});
const list = async (line = 'token list') => (await useCommands({}, folder).run(line)).stdout;

/** Runs `plant-store` from a shell, with a redirection of its standard output. */
function runRedirected(redirection: string, args: string) {
  const line = ['-c', `exec "$@" ${redirection}`, 'sh', process.execPath, main, ...args.split(' ')];
  return watchCommand(spawn('sh', line, { cwd: folder, env: {}, stdio: ['ignore', 'pipe', 'pipe'] })).end();
}

const closed =
  /^plant-store: Standard output is closed, so the result would be lost\. Send it to a file or to a program; to discard it, use > \/dev\/null\.\n$/;

it.each([
  ['export', '>&-', closed],
  ['token create --name x', '>&-', closed],
  ['export', '1<&0', /^plant-store: Standard output .+\n$/],
  ['token export', '1</bin/sh', /^plant-store: Standard output .+\n$/],
])('reports an output that cannot have the result, and changes nothing: %s %s', async (args, to, stderr) => {
  const before = await list();
  expect(await runRedirected(to, args)).toEqual(failed(stderr));
  expect(await list()).toBe(before);
});

it.each([
  ['token export', '> /dev/null'],
  ['import /dev/null', '>&-'],
])('runs where no result is lost, or it is discarded on purpose: %s %s', async (args, redirection) => {
  expect(await runRedirected(redirection, args)).toMatchObject({ exitCode: 0 });
});

it('exits quietly if nobody reads its output', async () => {
  const { process, end } = startCommand(['--help'], { folder });
  process.stdout?.destroy();
  expect(await end()).toMatchObject({ exitCode: 1, stderr: '' });
});

const fullDisk = '/dev/full';
// Linux, where CI runs, has a device that is always full.
it.runIf(existsSync(fullDisk))('reports an output that cannot be written', async () => {
  const noSpace = failed(/^plant-store: Standard output cannot be written: ENOSPC/);
  expect(await runRedirected(`>${fullDisk}`, 'export')).toEqual(noSpace);
});
