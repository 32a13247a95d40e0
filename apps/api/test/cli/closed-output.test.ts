import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fillStore } from '../support/process/fill-store.js';
import { failed, main, startCommand, watchCommand } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();

it('exits quietly if nobody reads its output', async () => {
  const { process, end } = startCommand(['--help'], { folder });
  process.stdout?.destroy();
  expect(await end()).toMatchObject({ exitCode: 1, stderr: '' });
});

const fullDisk = '/dev/full';
// Linux, where CI runs, has a device that is always full.
it.runIf(existsSync(fullDisk))('reports an output that cannot be written', async () => {
  await fillStore(folder, [[1n, 'Fern', null]]);
  const line = ['-c', `exec "$@" >${fullDisk}`, 'sh', process.execPath, main, 'export'];
  const child = spawn('sh', line, { cwd: folder, env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  const noSpace = failed(/^plant-store: Cannot write to standard output: ENOSPC/);
  expect(await watchCommand(child).end()).toEqual(noSpace);
});
