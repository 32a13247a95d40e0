import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.js';
import { startService } from '../../src/service.js';
import { createTestDatabase, openTestDatabase } from '../support/database/create-test-database.js';
import { type Engine, engines } from '../support/database/engines.js';
import type { TestDatabase } from '../support/database/test-database.js';
import { postPlant } from '../support/post-plant.js';

/** A trigger that rejects every update of a token. */
const rejectUpdates: Readonly<Record<Engine, readonly string[]>> = {
  sqlite: [
    `CREATE TRIGGER reject_updates BEFORE UPDATE ON access_tokens BEGIN SELECT RAISE(ABORT, 'no updates'); END`,
  ],
  postgresql: [
    `CREATE FUNCTION reject_updates() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'no updates'; END$$`,
    'CREATE TRIGGER reject_updates BEFORE UPDATE ON access_tokens FOR EACH ROW EXECUTE FUNCTION reject_updates()',
  ],
};

describe.each(engines)('the last use of a token on %s', (engine) => {
  let database: TestDatabase;
  let logLines: string[] = [];
  beforeEach(async () => {
    database = await createTestDatabase(engine);
    logLines = [];
  });
  afterEach(() => database.remove());

  async function start() {
    const log = pino({}, { write: (line) => void logLines.push(line) });
    const service = await startService(
      parseConfig({ PORT: '0', DATABASE_URL: database.url, PAGE: 'off', CLIENT: 'off' }, '/'),
      log,
    );
    const issue = async (name: string) => (await service.accessTokens.issue({ name })).text;
    return { ...service, issue };
  }

  async function readLastUses(): Promise<(Date | null)[]> {
    const { accessTokens, close } = await openTestDatabase(database);
    const tokens = await accessTokens.list();
    await close();
    return tokens.map(({ lastUsedAt }) => lastUsedAt);
  }

  it('is stored at the latest when the service stops, and not again within an hour', async () => {
    const before = Date.now();
    const first = await start();
    const token = await first.issue('used');
    await first.issue('unused');
    expect((await postPlant({ ...first, token }, { id: 1, name: 'Fern' })).status).toBe(200);
    expect(await first.stop()).toBe(true);
    const after = Date.now();
    const [used, unused] = await readLastUses();
    expect(unused).toBeNull();
    expect(used?.getTime()).toBeGreaterThanOrEqual(before);
    expect(used?.getTime()).toBeLessThanOrEqual(after);

    const second = await start();
    expect((await postPlant({ ...second, token }, { id: 2, name: 'Ivy' })).status).toBe(200);
    await second.stop();
    expect(await readLastUses()).toEqual([used, null]);
  });

  it('fails no request and no stop when it cannot be stored', async () => {
    const service = await start();
    const token = await service.issue('shop');
    for (const sql of rejectUpdates[engine]) await database.query(sql);
    expect((await postPlant({ ...service, token }, { id: 1, name: 'Fern' })).status).toBe(200);
    expect(await service.stop()).toBe(true);
    expect(await readLastUses()).toEqual([null]);
    expect(logLines.filter((line) => line.includes('could not store when tokens were used'))).toHaveLength(1);
  });
});
