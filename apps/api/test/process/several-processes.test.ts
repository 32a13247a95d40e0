import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import { expect, it } from 'vitest';
import { runCommand, startCommand, startServe } from './run-command.js';
import { temporaryFolder } from './temporary-folder.js';

it('refuses within 5 seconds a token that another process has revoked', async () => {
  const folder = temporaryFolder();
  const { command, baseUrl } = await startServe({ folder });
  const token = (await runCommand(['token', 'create', '--name', 'to revoke'], { folder })).stdout.trim();
  const client = createClient({ baseUrl, token });
  const status = async () => (await client.createPlant({ body: { id: 1, name: 'Fern' } })).status;
  expect(await status()).toBe(200);

  const revoked = await runCommand(['token', 'revoke', '1'], { folder });
  expect(revoked).toMatchObject({ exitCode: 0, stdout: '' });
  const revokedAt = performance.now();
  // Busy all the while: a token in use is forgotten as surely as an idle one.
  while ((await status()) === 200 && performance.now() - revokedAt < 5_000) await sleep(50);
  expect(await status()).toBe(401);
  await command.end('SIGTERM');
});

it('starts several times at once on a new database, migrating it once', async () => {
  const folder = temporaryFolder();
  const calls = Array.from({ length: 4 }, () => startCommand(['migrate'], { folder }).end());
  const results = await Promise.all(calls);
  expect(results.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
    results.map(({ stdout }) => ({
      exitCode: 0,
      stderr: stdout === '' ? 'The database is up to date.\n' : '',
    })),
  );
  expect(results.filter(({ stdout }) => stdout !== '')).toHaveLength(1);
});
