import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import { createDatabase } from '@plant-store/postgresql-server';
import { describe, expect, inject, it } from 'vitest';
import { type Engine, engines } from '../support/database/engines.js';
import type {} from '../support/postgresql/global-setup.js';
import {
  type Call,
  issueToken,
  runCommand,
  startCommand,
  startServe,
} from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

describe.each(engines)('several processes on one %s database', (engine) => {
  it('accept tokens that another one issued, and reject revoked ones within 5 seconds', async () => {
    const call = await callOn(engine);
    const services = await Promise.all([startServe(call), startServe(call)]);
    const token = await issueToken(call);
    const clients = services.map(({ baseUrl }) => createClient({ baseUrl, token }));
    const statuses = () =>
      Promise.all(
        clients.map(async (client) => (await client.createPlant({ body: { id: 1, name: 'Fern' } })).status),
      );
    expect(await statuses()).toEqual([200, 200]);

    const revoked = await runCommand(['token', 'revoke', '1'], call);
    expect(revoked).toMatchObject({ exitCode: 0, stdout: '' });
    const revokedAt = performance.now();
    // Kept in use: its cache entry must expire like that of an idle token.
    while ((await statuses()).includes(200) && performance.now() - revokedAt < 5_000) await sleep(200);
    expect(await statuses()).toEqual([401, 401]);
    for (const { command } of services) await command.end('SIGTERM');
  });

  it('migrate a new one once when started simultaneously', async () => {
    const call = await callOn(engine);
    const calls = Array.from({ length: 4 }, () => startCommand(['migrate'], call).end());
    const results = await Promise.all(calls);
    expect(results.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
      results.map(({ stdout }) => ({
        exitCode: 0,
        stderr: stdout === '' ? 'The database is up to date.\n' : '',
      })),
    );
    expect(results.filter(({ stdout }) => stdout !== '')).toHaveLength(1);
  });
});

async function callOn(engine: Engine): Promise<Call> {
  const folder = temporaryFolder();
  if (engine === 'sqlite') return { folder };
  return { folder, environment: { DATABASE_URL: await createDatabase(inject('postgresqlUrl')) } };
}
