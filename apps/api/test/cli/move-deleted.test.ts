import { join } from 'node:path';
import { createClient } from '@plant-store/client';
import { errors } from '@plant-store/contract/errors';
import { createDatabase } from '@plant-store/postgresql-server';
import { expect, inject, it } from 'vitest';
import type {} from '../support/postgresql/global-setup.js';
import { type Call, issueToken, runCommand, startServe } from '../support/process/run-command.js';
import { runInProcess } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const kept = { id: 1, name: 'Fern' };
const deleted = { id: 2n ** 62n, name: 'Rose', tag: 'indoor' };

/** Serves a store, and returns a client of it. */
async function serve(call: Call) {
  const token = await issueToken(call);
  const { command, baseUrl } = await startServe(call);
  return { client: createClient({ baseUrl, token }), stop: () => command.end('SIGTERM') };
}

/** Checks that a store has what was kept, and rejects a late retry of the create of what was deleted. */
async function expectMoved(call: Call) {
  const { client, stop } = await serve(call);
  const list = await client.listPlants({ query: {} });
  expect(list.body).toEqual({ plants: [expect.objectContaining({ ...kept, id: 1n })] });
  const late = await client.createPlant({ body: deleted });
  expect([late.status, late.body]).toEqual([
    400,
    expect.objectContaining({ error: errors.id_retired.error }),
  ]);
  expect((await client.deletePlant({ params: { id: deleted.id } })).status).toBe(204);
  await stop();
}

it('what was deleted stays so in a backup, and in another database of either engine', async () => {
  const folder = temporaryFolder();
  const { client, stop } = await serve({ folder });
  for (const plant of [kept, deleted]) expect((await client.createPlant({ body: plant })).status).toBe(200);
  expect((await client.deletePlant({ params: { id: deleted.id } })).status).toBe(204);
  const copied = await runCommand(['backup', 'copy.db'], { folder });
  expect(copied.stderr).toBe(`1 plant copied to ${join(folder, 'copy.db')}, and the copy checked.\n`);
  await stop();
  await expectMoved({ folder, environment: { DATABASE_URL: 'file:copy.db' } });

  expect((await runInProcess(['export', '--output', 'plants.ndjson'], { folder })).stderr).toContain(
    '1 plant',
  );
  for (const url of ['file:other.db', await createDatabase(inject('postgresqlUrl'))]) {
    const target = { folder, environment: { DATABASE_URL: url } };
    expect(await runInProcess(['import', 'plants.ndjson'], target)).toMatchObject({ exitCode: 0 });
    await expectMoved(target);
  }
});
