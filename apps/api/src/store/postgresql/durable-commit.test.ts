import { scopes } from '@plant-store/contract/access-token';
import { createDatabase, query } from '@plant-store/postgresql-server';
import pg from 'pg';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';

/** Records, for each row inserted into a table, the setting of its connection. */
const recordSettings = (table: string) => `
  CREATE TABLE seen_for_${table} (setting TEXT);
  CREATE FUNCTION record_for_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO seen_for_${table} VALUES (current_setting('synchronous_commit'));
      RETURN NEW;
    END $$;
  CREATE TRIGGER record BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION record_for_${table}()`;

it.each([
  { configured: 'off', used: 'on' },
  { configured: 'local', used: 'local' },
  { configured: 'on', used: 'on' },
  { configured: 'remote_apply', used: 'remote_apply' },
])(
  'commits with synchronous_commit = $used when the server has $configured',
  async ({ configured, used }) => {
    const url = await createDatabase(inject('postgresqlUrl'));
    await query(
      url,
      `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = ${configured}`,
    );
    const database = await openTestDatabase({ url });
    for (const table of ['plants', 'access_tokens']) await query(url, recordSettings(table));

    const ids = Array.from({ length: 30 }, (_, index) => index);
    await Promise.all(
      ids.flatMap<Promise<unknown>>((id) => [
        database.plants.create([{ id: BigInt(id), name: 'Monstera' }]),
        database.accessTokens.add({ name: 'shop', hash: String(id), scopes, expiresAt: null }),
      ]),
    );
    await database.close();
    for (const table of ['plants', 'access_tokens']) {
      const seen = await query<{ setting: string }>(url, `SELECT setting FROM seen_for_${table}`);
      expect(seen).toEqual(ids.map(() => ({ setting: used })));
    }
  },
);

it('no statement about tokens is in a client transaction, where a cancelled wait would go unnoticed', async () => {
  const { accessTokens, close } = await openTestDatabase({
    url: await createDatabase(inject('postgresqlUrl')),
  });
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => sent.mockRestore());
  const times = { scopes, createdAt: new Date(), expiresAt: null, revokedAt: null, lastUsedAt: null };
  const token = { name: 'shop', hash: 'a', ...times };
  await accessTokens.takeOver(token);
  await accessTokens.takeOver({ ...token, revokedAt: new Date() });
  const { id } = await accessTokens.add({ name: 'shop', hash: 'b', scopes, expiresAt: null });
  await accessTokens.revoke(id, new Date());
  await accessTokens.revoke(id, new Date());
  await close();
  const statements = sent.mock.calls.map(([query]) => JSON.stringify(query));
  expect(statements.filter((text) => text.includes('UPDATE'))).not.toEqual([]);
  expect(statements.filter((text) => /BEGIN|COMMIT/.test(text))).toEqual([]);
});
