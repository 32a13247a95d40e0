import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { fillStore } from '../support/process/fill-store.js';
import { main, watchCommand } from '../support/process/run-command.js';
import { runInProcess } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** A database with a plant and a token. */
async function createStore(): Promise<string> {
  const folder = temporaryFolder();
  await fillStore(folder, [[1n, 'Fern', null]]);
  await runInProcess(['token', 'create', '--name', 'shop'], { folder });
  return folder;
}

/** Runs `plant-store` from a shell, with a redirection of its standard output. */
function runRedirected(redirection: string, args: readonly string[], folder: string) {
  const line = ['-c', `exec "$@" ${redirection}`, 'sh', process.execPath, main, ...args];
  return watchCommand(spawn('sh', line, { cwd: folder, env: {}, stdio: ['ignore', 'pipe', 'pipe'] })).end();
}

it.each(['export', 'token create --name x', 'token rotate 1', 'token list', 'token export'])(
  'reports a closed standard output, and changes nothing: %s',
  async (command) => {
    const folder = await createStore();
    const before = (await runInProcess(['token', 'list'], { folder })).stdout;
    expect(await runRedirected('>&-', command.split(' '), folder)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'plant-store: Standard output is closed, so the result would be lost. Send it to a file or to a program; to discard it, use > /dev/null.\n',
    });
    expect((await runInProcess(['token', 'list'], { folder })).stdout).toBe(before);
  },
);

it('reports a standard output that is open for reading alone', async () => {
  const folder = await createStore();
  for (const redirection of ['1<&0', '1</bin/sh']) {
    for (const command of ['export', 'token export']) {
      expect(await runRedirected(redirection, command.split(' '), folder)).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(/^plant-store: Standard output .+\n$/),
      });
    }
  }
});

it.each([
  ['export', '> /dev/null'],
  ['token export', '> /dev/null'],
  ['export --output plants.ndjson', '>&-'],
  ['backup copy.db', '>&-'],
  ['migrate', '>&-'],
  ['import /dev/null', '>&-'],
])('runs where no result is lost, or it is discarded on purpose: %s %s', async (command, redirection) => {
  const folder = await createStore();
  expect(await runRedirected(redirection, command.split(' '), folder)).toMatchObject({ exitCode: 0 });
});
