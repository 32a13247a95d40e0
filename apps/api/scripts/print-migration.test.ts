import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { resources } from '@plant-store/contract/resources';
import { expect, it } from 'vitest';
import { packageFolder } from '../src/package-folder.js';
import { readMigrations } from '../src/store/migrations.js';
import { temporaryFolder } from '../test/support/temporary-folder.js';
import { createSql } from './create-sql.js';
import { printMigration } from './print-migration.js';

const trees = { ...resources.plant, name: 'tree', plural: 'trees' };

const lastDate = BigInt(readMigrations('sqlite', packageFolder).at(-1)?.name.slice(0, 14) ?? 0);

it.each([
  ['2026-11-29T10:11:12.345Z', `${lastDate + 1n}_create_trees`],
  ['2030-01-02T03:04:05.678Z', '20300102030405_create_trees'],
])('writes a migration for each engine at %s, after those that exist', (now, name) => {
  const folder = temporaryFolder();
  cpSync(fileURLToPath(new URL('prisma', packageFolder)), join(folder, 'prisma'), { recursive: true });
  const root = pathToFileURL(`${folder}/`);
  const files = printMigration(trees, root, new Date(now));
  for (const [at, engine] of (['sqlite', 'postgresql'] as const).entries()) {
    expect(files[at]).toBe(join(folder, `prisma/${engine}/migrations/${name}/migration.sql`));
    expect(readFileSync(files[at] ?? '', 'utf8')).toBe(createSql(engine, trees));
    expect(readMigrations(engine, root).at(-1)?.name).toBe(name);
  }
});
