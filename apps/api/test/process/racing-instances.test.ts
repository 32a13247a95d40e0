import { createClient } from '@plant-store/client';
import { errors } from '@plant-store/contract/errors';
import { createDatabase, query } from '@plant-store/postgresql-server';
import { expect, inject, it } from 'vitest';
import type {} from '../support/postgresql/global-setup.js';
import { issueToken, startServe } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const ids = Array.from({ length: 3_000 }, (_, index) => BigInt(index) * 1_000_003n);
/** The number of creates in flight at each instance. */
const concurrency = 64;

it('stores each id once when two instances race for it, and acknowledges one of the two names', async () => {
  const databaseUrl = await createDatabase(inject('postgresqlUrl'));
  const call = { folder: temporaryFolder(), environment: { DATABASE_URL: databaseUrl } };
  const token = await issueToken(call);
  const instances = await Promise.all(['one', 'two'].map(() => startServe(call)));
  const [one, two] = instances.map(({ baseUrl }) => createClient({ baseUrl, token, retries: 0 }));
  const winners = new Map<bigint, string[]>();
  const others: unknown[] = [];

  async function send(client: ReturnType<typeof createClient> | undefined, id: bigint, name: string) {
    const reply = await client?.createPlant({ body: { id, name } });
    if (reply?.status === 200) winners.set(id, [...(winners.get(id) ?? []), name]);
    else if (!(reply?.status === 400 && reply.body.error === errors.id_taken.error)) others.push(reply?.body);
  }
  for (let from = 0; from < ids.length; from += concurrency) {
    const some = ids.slice(from, from + concurrency);
    // In opposite orders, so that their commits overlap on the same ids from both ends.
    await Promise.all([
      ...some.map((id) => send(one, id, `one ${id}`)),
      ...some.toReversed().map((id) => send(two, id, `two ${id}`)),
    ]);
  }

  expect(others).toEqual([]);
  const rows = await query<{ id: string; name: string }>(databaseUrl, 'SELECT id, name FROM plants');
  expect(rows).toHaveLength(ids.length);
  expect(new Map(rows.map(({ id, name }) => [BigInt(id), [name]]))).toEqual(winners);
  // Otherwise there was no race.
  for (const name of ['one', 'two']) expect(rows.some((row) => row.name.startsWith(name))).toBe(true);
  for (const { command } of instances) await command.end('SIGTERM');
  // The service retries an insert after a deadlock, which would show only as a delay of a second.
  expect(await query(databaseUrl, deadlocks)).toEqual([{ deadlocks: '0' }]);
});

const deadlocks = 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()';
