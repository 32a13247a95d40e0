import {
  chownSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectToSqlite } from '../support/database/open-sqlite-file.js';
import { execute, fillStore, readRows, readStoreId, withoutStore } from '../support/process/fill-store.js';
import { failed, succeeded } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';

const isDone = (message: RegExp) => succeeded('', message);

/** A store with one plant, and its backup `copy.db` with the SHA-256 beside it. */
async function createBackup() {
  const { folder, run } = useCommands();
  const path = await fillStore(folder, [[1n, 'Rose', null]]);
  await run('backup copy.db');
  const copy = join(folder, 'copy.db');
  /** Changes the backup as somebody does who leaves no SHA-256. */
  function change(sql: string) {
    rmSync(`${copy}.sha256`);
    execute(copy, sql);
  }
  /** Expects that neither a restore nor a dry run takes it, and that nothing changes. */
  async function expectRejected(message: RegExp, options = '') {
    const before = readdirSync(join(folder, 'data'));
    for (const option of [' --dry-run', ''])
      expect(await run(`restore copy.db${option}${options}`)).toEqual(failed(message));
    expect(readdirSync(join(folder, 'data'))).toEqual(before);
  }
  return { folder, run, path, copy, change, expectRejected };
}

it('rejects a backup of which a byte has changed, and says where there is no SHA-256', async () => {
  const { run, copy, expectRejected } = await createBackup();
  const content = readFileSync(copy);
  content.write('Nose', content.indexOf('Rose'));
  writeFileSync(copy, content);
  await expectRejected(
    /has changed since it was made: its SHA-256 checksum should be [0-9a-f]{64}, but it is/,
  );
  writeFileSync(`${copy}.sha256`, 'something else');
  await expectRejected(/does not begin with a checksum/);
  rmSync(`${copy}.sha256`);
  expect(await run('restore copy.db')).toEqual(isDone(/has no SHA-256/));
});

it('does not open the backup itself, and takes a copy of a database with its write-ahead log', async () => {
  const { folder, run, path, copy } = await createBackup();
  const files = readdirSync(folder);
  const content = readFileSync(copy);
  // With the right SHA-256 this log belongs to something else.
  writeFileSync(`${copy}-wal`, 'log');
  expect(await run('restore copy.db')).toEqual(isDone(/SHA-256 checksum is correct/));
  expect(readFileSync(copy).equals(content)).toBe(true);
  expect(readdirSync(folder)).toEqual([...files, 'copy.db-wal'].toSorted());
  const service = connectToSqlite(path);
  service.exec(`PRAGMA journal_mode = WAL; INSERT INTO plants (id, name) VALUES (2, 'Fern')`);
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, join(folder, `raw.db${suffix}`));
  service.close();
  expect(await run('restore raw.db')).toEqual(isDone(/contains 2 plants .*has no SHA-256/));
  expect(readRows(path)).toHaveLength(2);
  writeFileSync(join(folder, 'raw.db-journal'), 'journal');
  expect(await run('restore raw.db')).toEqual(
    failed(/rollback journal next to \S+, so the file is not a complete backup/),
  );
});

it.each([
  [
    'trigger grant on access_tokens',
    `CREATE TRIGGER "grant" AFTER UPDATE ON access_tokens BEGIN UPDATE access_tokens SET scopes = 'admin'; END`,
  ],
  [String.raw`table "a\\u001b\[2J\?"`, `CREATE TABLE "a\u001b[2J\u202e" (text)`],
])(
  'rejects a backup with a %s, unless it should stay, and warns when such a store is backed up',
  async (name, sql) => {
    const { run, path, change, expectRejected } = await createBackup();
    change(sql);
    await expectRejected(
      RegExp(`contains schema objects that no migration creates: ${name}\\. Nothing was changed`),
    );
    expect(await run('restore copy.db --keep-additions')).toEqual(isDone(/is complete/));
    expect(readRows(path)).toHaveLength(1);
    const warning = RegExp(
      `Warning: the backup contains schema objects that no migration creates: ${name}\\. .*--keep-additions`,
    );
    expect(await run('backup again.db')).toEqual(isDone(warning));
  },
);

const ledger = '_prisma_migrations';
const toView = (table: string) => `ALTER TABLE ${table} RENAME TO t; CREATE VIEW ${table} AS SELECT * FROM t`;
const missing = (what: string) => RegExp(`Missing or changed: ${what}`);
const indexed = missing(String.raw`index access_tokens_hash_key on access_tokens\.`);

it.each([
  ['a view in the place of a table', toView('plants'), missing('.*table plants')],
  ['a column that is computed', `ALTER TABLE plants ADD c TEXT AS (name || 'x')`, missing('table plants\\.')],
  ['a missing index', 'DROP INDEX access_tokens_hash_key', indexed],
  ['a ledger that is a view', toView(ledger), /_prisma_migrations was changed/],
  [
    'an id of its store that is a path',
    `UPDATE store SET id = '../../x'`,
    /table store must have exactly one row/,
  ],
])('rejects a backup with %s', async (_, sql, message) => {
  const { change, expectRejected } = await createBackup();
  change(sql);
  await expectRejected(message, ' --from-other-store');
});

it('takes a backup with the tables of Litestream and of ANALYZE', async () => {
  const { run, change } = await createBackup();
  change(`
    CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
    CREATE TABLE _litestream_lock (id INTEGER);
    ANALYZE`);
  expect(await run('restore copy.db')).toEqual(isDone(/is complete/));
});

it('takes the backup of another store only with an option, and keeps the id of the store', async () => {
  const { folder, run, path, copy, expectRejected } = await createBackup();
  const id = readStoreId(path);
  const staging = useCommands({}, join(folder, 'staging'));
  const stagingPath = await fillStore(staging.folder, []);
  const stagingId = readStoreId(stagingPath);
  await run('backup backups/');
  await staging.run('backup ../backups');
  const staged = readdirSync(join(folder, 'backups')).find((each) => each.includes(stagingId));
  copyFileSync(join(folder, 'backups', `${staged}`), copy);
  rmSync(`${copy}.sha256`);
  await expectRejected(RegExp(`is from store ${stagingId}, but .* is store ${id}\\. Nothing was changed`));
  // Of several stores in a folder it takes its own.
  const ofStore = RegExp(`from store ${id}, is complete and contains 1 plant `);
  expect(await run('restore backups')).toEqual(isDone(ofStore));
  const other = RegExp(`from store ${stagingId}, .*contains 0 plants .*The store ID is now ${id}\\.`);
  expect(await run('restore copy.db --from-other-store')).toEqual(isDone(other));
  expect([readRows(path), readStoreId(path)]).toEqual([[], id]);
  // Where there is no database, it is not known which one is meant.
  rmSync(stagingPath);
  expect(await staging.run('restore ../backups')).toEqual(failed(/contains backups of several stores: /));
  const renamed = isDone(/The store ID is now/);
  expect(await staging.run('restore ../copy.db --from-other-store')).toEqual(renamed);
  expect([id, stagingId]).not.toContain(readStoreId(stagingPath));
});

it('takes a backup from before stores had ids in place of a store with an id only with the option', async () => {
  const { run, path, change, expectRejected } = await createBackup();
  const id = readStoreId(path);
  change(withoutStore);
  await expectRejected(/was made before its store had an ID, but .* is store/);
  const renamed = isDone(RegExp(`The store ID is now ${id}`));
  expect(await run('restore copy.db --from-other-store')).toEqual(renamed);
  expect(readStoreId(path)).toBe(id);
  // A database from before, too, takes it.
  execute(path, withoutStore);
  expect(await run('restore copy.db')).toEqual(isDone(/It was restored to/));
});

it('replaces a damaged database, and says that its store is not known', async () => {
  const { run, path } = await createBackup();
  writeFileSync(path, 'This is a text of some length. '.repeat(100));
  const message = /Could not determine whether .*not a database; it is text\. The previous database/;
  expect(await run('restore copy.db')).toEqual(isDone(message));
  expect(readRows(path)).toHaveLength(1);
});

// Only root can give a file away.
it.runIf(process.geteuid?.() === 0)(
  'leaves the database and the note about a backup to the owner of the database, and follows no link of theirs',
  async () => {
    const { folder, run, path } = await createBackup();
    const [uid, gid] = [65_534, 65_533];
    chownSync(path, uid, gid);
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'as before');
    for (const name of [`${path}.restored`, `${path}.last-backup.new`]) symlinkSync(victim, name);
    expect(await run('restore copy.db')).toEqual(isDone(/is complete/));
    expect(await run('backup again.db')).toEqual(isDone(/Copied/));
    for (const file of [path, `${path}.last-backup`]) {
      const stats = statSync(file);
      expect([file, stats.uid, stats.gid, stats.mode & 0o777]).toEqual([file, uid, gid, 0o600]);
    }
    expect([readFileSync(victim, 'utf8'), statSync(victim).uid]).toEqual(['as before', 0]);
  },
);
