import { createDatabase, query } from '@plant-store/postgresql-server';
import { expect, inject, it } from 'vitest';
import type {} from '../support/postgresql/global-setup.js';
import { raceInstances } from '../support/process/race-instances.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const ids = Array.from({ length: 320 }, (_, index) => BigInt(index) * 1_000_003n);

it('stores each id once when two instances race for it, and acknowledges one of the two names', async () => {
  const databaseUrl = await createDatabase(inject('postgresqlUrl'));
  const call = { folder: temporaryFolder(), environment: { DATABASE_URL: databaseUrl } };
  const outcomes = await raceInstances(call, ids, (instance, id) => `${instance} ${id}`);

  for (const ofId of outcomes.values()) expect(ofId.toSorted()).toEqual(['stored', 'taken']);
  const select = 'SELECT id, name FROM plants ORDER BY id';
  const rows = await query<{ id: string; name: string }>(databaseUrl, select);
  const winners = ids.map((id) => ({ id: `${id}`, name: `${outcomes.get(id)?.indexOf('stored')} ${id}` }));
  expect(rows).toEqual(winners);
  // Otherwise there was no race.
  for (const instance of [0, 1]) expect(rows.some(({ name }) => name.startsWith(`${instance} `))).toBe(true);
  // The service retries an insert after a deadlock, which would show only as a delay of a second.
  const deadlocks = 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()';
  expect(await query(databaseUrl, deadlocks)).toEqual([{ deadlocks: '0' }]);
});
