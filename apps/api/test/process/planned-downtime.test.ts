import { createClient } from '@plant-store/client';
import { findFreePort } from '@plant-store/postgresql-server';
import { expect, it } from 'vitest';
import { startServe, startStore } from '../support/process/run-command.js';
import { readPage } from '../support/read-markdown.js';

it('no create that starts during the downtime fails, with the options on the page about PostgreSQL', async () => {
  const [, ...options] =
    /`createClient\({ …, retries: ([\d_]+), timeoutMs: ([\d_]+) }\)`/.exec(
      readPage('docs/operate/postgresql.md'),
    ) ?? [];
  const [retries = 0, timeoutMs = 0] = options.map((text) => Number(text.replaceAll('_', '')));
  // Nothing else gets it during the downtime.
  const PORT = String(await findFreePort());
  const { folder, command, baseUrl, token } = await startStore({ PORT });
  await command.end('SIGTERM');

  const create = (id: number, documented: object) =>
    createClient({ baseUrl, token, ...documented }).createPlant({ body: { id, name: 'Monstera' } });
  const waiting = Array.from({ length: 8 }, (_, id) => create(id, { retries, timeoutMs }));
  const replies = Promise.allSettled(waiting);
  // With the client's defaults there are two retries, each within milliseconds.
  await expect(create(100, {})).rejects.toThrow(/got no complete reply/);
  await startServe({ folder, environment: { PORT } });
  expect(await replies).toMatchObject(waiting.map(() => ({ status: 'fulfilled', value: { status: 200 } })));
});
