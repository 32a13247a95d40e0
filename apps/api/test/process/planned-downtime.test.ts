import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import { expect, it } from 'vitest';
import { issueToken, startServe } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const moving = new URL('../../../../docs/operate/postgresql.md', import.meta.url);

/** Reads the client options that the page on PostgreSQL recommends for waiting until the end of the downtime. */
function readDocumentedOptions(): { readonly retries: number; readonly timeoutMs: number } {
  const [, retries, timeoutMs] =
    /`createClient\({ …, retries: ([\d_]+), timeoutMs: ([\d_]+) }\)`/.exec(readFileSync(moving, 'utf8')) ??
    [];
  const toNumber = (text = '') => Number(text.replaceAll('_', ''));
  return { retries: toNumber(retries), timeoutMs: toNumber(timeoutMs) };
}

it('no create that starts during the downtime fails, with the options on the page about PostgreSQL', async () => {
  const folder = temporaryFolder();
  const token = await issueToken({ folder });
  const before = await startServe({ folder });
  const { port } = new URL(before.baseUrl);
  await before.command.end('SIGTERM');

  const create = (id: number, options: object) =>
    createClient({ baseUrl: before.baseUrl, token, ...options }).createPlant({
      body: { id, name: 'Monstera' },
    });
  const waiting = Array.from({ length: 8 }, (_, id) => create(id, readDocumentedOptions()));
  const replies = Promise.allSettled(waiting);
  // With the client's defaults there are two retries, each within milliseconds.
  await expect(create(100, {})).rejects.toThrow(/got no complete reply/);
  await sleep(2_000);
  await startServe({ folder, environment: { PORT: port } });
  expect(await replies).toMatchObject(waiting.map(() => ({ status: 'fulfilled', value: { status: 200 } })));
});
