import { join } from 'node:path';
import { createDatabase, query } from '@plant-store/postgresql-server';
import { expect, inject, it } from 'vitest';
import { execute, fillStore, readRow, withoutStore } from '../support/process/fill-store.js';
import { succeeded } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';

interface StoreRow {
  readonly id: string;
  readonly generation: string;
  readonly accepts_old_cursors: number | boolean;
}

const readStore = (path: string) => readRow<StoreRow>(path, 'SELECT * FROM store');
const newGeneration = expect.stringMatching(/^[0-9a-f]{8}$/);

it('a restore gives the store another generation, and accepts no cursors of earlier versions', async () => {
  const { folder, run } = useCommands();
  const path = await fillStore(folder, [[1n, 'Rose', null]]);
  execute(path, 'UPDATE store SET accepts_old_cursors = 1');
  const before = readStore(path);
  await run('backup copy.db');
  await run('restore copy.db');
  const after = readStore(path);
  expect(after).toEqual({ ...before, accepts_old_cursors: 0, generation: newGeneration });
  expect(after?.generation).not.toBe(before?.generation);
  expect(readStore(join(folder, 'copy.db'))).toEqual(before);
});

it('a restore of a backup from before there were generations migrates it first', async () => {
  const { folder, run } = useCommands();
  const path = await fillStore(folder, [[1n, 'Rose', null]]);
  execute(path, withoutStore);
  await run('backup copy.db');
  const { stderr } = await run('restore copy.db --dry-run');
  expect(stderr).toMatch(/ Pending migrations: (\d{14}_\w+, )*\d{14}_\w+\. Nothing was changed/);
  expect(readRow(path, "SELECT name FROM sqlite_schema WHERE name = 'store'")).toBeUndefined();
  expect(await run('restore copy.db')).toMatchObject({ exitCode: 0 });
  expect(readStore(path)).toMatchObject({ accepts_old_cursors: 0 });
});

it('the command does the same to a database that other tools have restored, on either engine', async () => {
  const sqlite = useCommands();
  const path = await fillStore(sqlite.folder, []);
  const url = await createDatabase(inject('postgresqlUrl'));
  const postgresql = useCommands({ DATABASE_URL: url });
  await postgresql.run('migrate');
  execute(path, 'UPDATE store SET accepts_old_cursors = 1');
  await query(url, 'UPDATE store SET accepts_old_cursors = true');
  const readBoth = async () => [readStore(path), (await query<StoreRow>(url, 'SELECT * FROM store'))[0]];
  const before = await readBoth();
  const invalidated = succeeded('', /get the error cursor_expired and read everything again/);
  for (const { run } of [sqlite, postgresql]) expect(await run('invalidate-cursors')).toEqual(invalidated);
  const after = await readBoth();
  for (const [index, row] of before.entries()) {
    const accepts_old_cursors = index === 0 ? 0 : false;
    expect(after[index]).toEqual({ ...row, accepts_old_cursors, generation: newGeneration });
    expect(after[index]?.generation).not.toBe(row?.generation);
  }
});
