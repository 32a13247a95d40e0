import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withDatabases } from '../src/databases/with-databases.js';
import { issueToken } from '../src/service/run-command.js';
import { startService } from '../src/service/start-service.js';
import { isNightly } from './support/is-nightly.js';

// Only in the mode `nightly` on PostgreSQL, which takes a second to create: `input.test.ts` starts the service on it anyway.
it.each(isNightly ? (['sqlite', 'postgresql'] as const) : (['sqlite'] as const))(
  'starts, kills and starts the service again on %s',
  async (engine) => {
    await withDatabases(engine, async ({ folder, server }) => {
      const { url, readRows } = await server.createDatabase();
      const token = await issueToken({ DATABASE_URL: url });
      const options = {
        databaseUrl: url,
        logFile: join(folder, 'service.log'),
        settings: { LOG_LEVEL: 'info' },
      };
      for (const replayed of [null, 'true']) {
        const service = await startService(options);
        const reply = await fetch(`${service.baseUrl}/plants`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: '{"id":-9223372036854775808,"name":"Monstera","tag":""}',
        });
        expect([reply.status, reply.headers.get('idempotent-replayed')]).toEqual([200, replayed]);
        expect(await service.kill(replayed === null ? 'SIGKILL' : 'SIGTERM')).toBe(
          replayed === null ? null : 0,
        );
        expect(service.hasEnded()).toBe(true);
      }
      expect(await readRows()).toEqual([{ id: -(2n ** 63n), name: 'Monstera', tag: '', deleted: false }]);
    });
  },
);

it('reports why a service did not start', async () => {
  await withDatabases('sqlite', async ({ folder, server }) => {
    const { url } = await server.createDatabase();
    const logFile = join(folder, 'service.log');
    const start = startService({ databaseUrl: url, logFile, settings: { BODY_MAX_BYTES: 'many' } });
    await expect(start).rejects.toThrow('BODY_MAX_BYTES');
  });
});
