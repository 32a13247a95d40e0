import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, query } from '@plant-store/postgresql-server';
import { expect, it, onTestFinished } from 'vitest';
import { generateAccessToken } from '../../src/auth/token-service.js';
import { startPostgresql } from '../support/postgresql/start-postgresql.js';
import { startStore } from '../support/process/run-command.js';
import { startLoad } from '../support/process/steady-load.js';
import { slackMs, untilStatus } from '../support/until.js';

/** A crash, a stop without a checkpoint, and an orderly stop, one after the other. */
const signals = ['SIGKILL', 'SIGQUIT', 'SIGINT'] as const;
/** The longest time that a reply may take: PostgreSQL refuses connections immediately. */
const replyTimeoutMs = 5_000;
/** The longest time until the service stores plants again once PostgreSQL accepts connections. */
const recoveryMs = 5_000;

it('loses no acknowledged plant, and recovers by itself, however PostgreSQL goes down under load', {
  timeout: 600_000,
}, async () => {
  const server = await startPostgresql();
  onTestFinished(() => server.remove());
  const databaseUrl = await createDatabase(server.url);
  const service = await startStore({ DATABASE_URL: databaseUrl, ADMIN_PORT: '0' });
  const { command, baseUrl, adminUrl } = service;
  const load = startLoad(service, { replyTimeoutMs: replyTimeoutMs + slackMs });
  const liveness = watch(`${adminUrl}/livez`);

  for (const signal of signals) {
    await load.acknowledgements(50);
    await server.kill(signal);
    await Promise.all([load.rejections(10), untilStatus(`${adminUrl}/readyz`, 503)]);
    // During the outage it cannot look up whether the token exists.
    const headers = { Authorization: `Bearer ${generateAccessToken()}` };
    const unknown = await fetch(`${baseUrl}/plants`, { method: 'POST', headers });
    expect.soft(unknown.status).toBe(503);

    await server.start();
    const startedAt = performance.now();
    await load.acknowledgements(1);
    await untilStatus(`${adminUrl}/readyz`, 200);
    expect(performance.now() - startedAt).toBeLessThan(recoveryMs + slackMs);
  }
  await load.end();

  expect(load.unexpected).toEqual([]);
  expect(new Set(await liveness.end())).toEqual(new Set([200]));
  // Each id was retried until it was stored, and has one name, that of the caller to whom it was acknowledged.
  const rows = await query<{ id: string; name: string }>(databaseUrl, 'SELECT id, name FROM plants');
  expect(load.acknowledged).toEqual(new Map(rows.map(({ id, name }) => [Number(id), new Set([name])])));
  expect(command.process).toMatchObject({ exitCode: null, signalCode: null });
  expect(await command.end('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' });
});

/** Polls a URL until `end` is called, which returns all statuses. */
function watch(url: string) {
  const statuses: unknown[] = [];
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  const watching = (async () => {
    while (!ended.signal.aborted) {
      statuses.push(await fetch(url).then(({ status }) => status, String));
      await sleep(50);
    }
  })();
  return {
    async end() {
      ended.abort();
      await watching;
      return statuses;
    },
  };
}
