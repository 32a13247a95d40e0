import { scopes } from '@plant-store/contract/access-token';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../../test/support/collect.js';
import { createTestDatabase, openTestDatabase } from '../../test/support/database/create-test-database.js';
import { type Engine, engines } from '../../test/support/database/engines.js';
import { recordLog } from '../../test/support/database/record-log.js';
import type { TestDatabase } from '../../test/support/database/test-database.js';
import { highPageLimits } from '../../test/support/database/use-plant-store.js';
import { readPage } from '../../test/support/read-markdown.js';
import { parseConfig } from '../config.js';
import { type Migration, readMigrations } from './migrations.js';
import { openDatabase } from './open-database.js';
import { migratePostgresql } from './postgresql/migrate-postgresql.js';
import { migrateSqlite } from './sqlite/migrate-sqlite.js';

/** The SQL of docs/operate/upgrading.md, from the latest version back to 1.0, and how many migrations that had. */
const statements = ['1\\.3', '1\\.1'].flatMap((version) => {
  const section = new RegExp(`## Going back from ${version}\n[\\s\\S]*?\`\`\`sql\n([^\`]+)\`\`\``);
  const [, sql = ''] = section.exec(readPage('docs/operate/upgrading.md')) ?? [];
  return sql.split(';\n').filter((statement) => statement !== '');
});
const countBefore = 1;

/** What version 1.0 runs on `access_tokens`: the look-up of a request, and what `token create` and `token list` do. */
const statementsBefore = [
  `SELECT id, name, created_at, expires_at, revoked_at FROM access_tokens WHERE hash = 'a'`,
  `INSERT INTO access_tokens (name, hash, created_at, expires_at, revoked_at)
   VALUES ('new', 'b', '2026-01-02T03:04:05.678+00:00', NULL, NULL)
   RETURNING id, name, created_at, expires_at, revoked_at`,
  'SELECT id, name, hash, created_at, expires_at, revoked_at FROM access_tokens ORDER BY id',
  `UPDATE access_tokens SET revoked_at = '2026-01-02T03:04:05.678+00:00' WHERE hash = 'b' AND revoked_at IS NULL`,
];

/** Runs something on one connection to the database, as `psql` or `sqlite3` would, and migrates it. */
interface Connection {
  run(statement: string): Promise<unknown>;
  migrate(migrations: readonly Migration[]): Promise<readonly string[]>;
  close(): Promise<void>;
}

const connect: Readonly<Record<Engine, (url: string) => Promise<Connection>>> = {
  async sqlite(url) {
    const connection = await new PrismaBetterSqlite3({ url }).connect();
    return {
      run: (statement) => connection.executeScript(statement),
      migrate: (migrations) => migrateSqlite(connection, migrations),
      close: () => connection.dispose(),
    };
  },
  async postgresql(url) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return {
      run: (statement) => client.query(statement),
      migrate: (migrations) => migratePostgresql(client, 'public', migrations),
      close: () => client.end(),
    };
  },
};

describe.each(engines)('version 1.0 on %s', (engine) => {
  const migrations = readMigrations(engine);
  const migrationsBefore = migrations.slice(0, countBefore);
  let database: TestDatabase;
  let connection: Connection;
  beforeEach(async () => {
    database = await createTestDatabase(engine);
    connection = await connect[engine](database.url);
  });
  afterEach(async () => {
    await connection.close();
    await database.remove();
  });

  it('goes on serving a database that is migrated meanwhile', async () => {
    await connection.migrate(migrationsBefore);
    const location = parseConfig({ DATABASE_URL: database.url }, '/').database;
    const { log, lines } = recordLog();
    await (await openDatabase(location, { log })).close();
    expect(lines).toContainEqual(
      expect.stringMatching(/^warn: access tokens issued by earlier versions may create/),
    );
    for (const statement of statementsBefore) await connection.run(statement);
    const second = recordLog();
    const { accessTokens, close } = await openDatabase(location, { log: second.log });
    expect(second.lines).toEqual([]);
    expect(await accessTokens.list()).toMatchObject([
      { name: 'new', scopes: ['create'], lastUsedAt: null, revokedAt: expect.any(Date) },
    ]);
    expect(await accessTokens.findByHash('b')).toMatchObject({ scopes: ['create'] });
    await close();
  });

  it('reports nothing of tokens when the latest version creates the database', async () => {
    const { log, lines } = recordLog();
    await (await openDatabase(parseConfig({ DATABASE_URL: database.url }, '/').database, { log })).close();
    expect(lines.filter((line) => line.includes('token'))).toEqual([]);
  });

  it('opens the database after the documented SQL, with all plants and tokens, and the latest version does again', async () => {
    const opened = await openTestDatabase(database);
    const plant = { id: 1n, name: 'Fern', tag: 'outdoor' };
    const deleted = { id: 2n, name: 'Rose' };
    await opened.plants.create([plant, deleted]);
    await opened.plants.remove([2n]);
    const token = await opened.accessTokens.add({ name: 'shop', hash: 'a', scopes, expiresAt: null });
    await opened.accessTokens.recordUses([{ id: token.id, at: new Date() }]);
    await opened.close();

    await expect(connection.migrate(migrationsBefore)).rejects.toThrow('which this version does not have');
    expect(statements).toHaveLength(13);
    for (const statement of statements) await connection.run(statement);
    expect(await connection.migrate(migrationsBefore)).toEqual([]);
    for (const statement of statementsBefore) await connection.run(statement);

    const again = await openTestDatabase(database);
    expect(again.appliedMigrations).toEqual(migrations.slice(countBefore).map(({ name }) => name));
    expect((await collect(again.plants.read(undefined, highPageLimits))).flat()).toEqual([
      plant,
      { id: 2n, name: '' },
    ]);
    expect(await again.accessTokens.list()).toMatchObject([
      { ...token, scopes: ['create'] },
      { name: 'new' },
    ]);
    await again.close();
  });
});
