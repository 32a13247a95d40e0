import { createDatabase, query } from '@plant-store/postgresql-server';
import pg from 'pg';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';

/** Makes each insert of a plant cause a notice, and changes the name of the routine that it comes from. */
async function openWithNotice(raise: string, routine: string) {
  const url = await createDatabase(inject('postgresqlUrl'));
  const database = await openTestDatabase({ url });
  onTestFinished(() => database.close());
  await query(
    url,
    `CREATE FUNCTION notify() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE ${raise}; RETURN NEW; END $$;
     CREATE TRIGGER notify BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION notify()`,
  );
  const { emit } = pg.Client.prototype;
  const emitted = vi.spyOn(pg.Client.prototype, 'emit').mockImplementation(function emitChanged(
    this: pg.Client,
    event: string | symbol,
    ...values: unknown[]
  ) {
    const [value] = values;
    if (event === 'notice' && typeof value === 'object') Object.assign(value ?? {}, { routine });
    return Reflect.apply(emit, this, [event, ...values]);
  });
  onTestFinished(() => emitted.mockRestore());
  return { database, url };
}

it.each([
  ['the wait for a standby', `WARNING 'canceling wait'`, 'SyncRepWaitForLSN'],
  ['a commit that a node has only prepared', `WARNING 'x'`, 'FinishRemoteTransactionCommit'],
  ['a warning of a worker', `WARNING 'das Warten wird abgebrochen'`, 'DefaultCitusNoticeReceiver'],
  [
    'a warning of a worker with another code',
    `WARNING 'x' USING ERRCODE = '57P01'`,
    'DefaultCitusNoticeReceiver',
  ],
])('does not acknowledge a plant after %s, and then opens another connection', async (_, raise, routine) => {
  const { database, url } = await openWithNotice(raise, routine);
  await expect(database.plants.create([{ id: 1n, name: 'Monstera' }])).rejects.toMatchObject({
    errorName: 'database_unavailable',
    cause: { message: expect.stringMatching(/^40003: /) },
  });
  await query(url, 'DROP TRIGGER notify ON plants');
  expect(await database.plants.create([{ id: 2n, name: 'Fern' }])).toEqual([{ stored: true }]);
});

it.each([
  ['information of a worker', `INFO 'vacuumed'`, 'DefaultCitusNoticeReceiver'],
  ['a warning of a trigger', `WARNING 'odd name'`, 'exec_stmt_raise'],
])('acknowledges a plant after %s', async (_, raise, routine) => {
  const { database } = await openWithNotice(raise, routine);
  expect(await database.plants.create([{ id: 1n, name: 'Monstera' }])).toEqual([{ stored: true }]);
});
