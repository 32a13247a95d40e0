import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import { expect, it } from 'vitest';
import { runCommand, startServe } from './run-command.js';
import { temporaryFolder } from './temporary-folder.js';

it('goes on storing plants, and stops as it should, when nobody reads its log any more', async () => {
  const folder = temporaryFolder();
  const token = (await runCommand(['token', 'create', '--name', 'test'], { folder })).stdout.trim();
  const { command, baseUrl } = await startServe({ folder });
  const client = createClient({ baseUrl, token });
  command.process.stdout?.destroy();
  for (let id = 1; id <= 50; id++) {
    const { status } = await client.createPlant({ body: { id, name: 'Fern' } });
    expect(status).toBe(200);
    // Long enough for the log to be written, in vain.
    if (id % 10 === 0) await sleep(120);
  }
  expect(await command.end('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' });
});
