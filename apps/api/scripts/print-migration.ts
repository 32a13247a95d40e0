import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Resource } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';
import { packageFolder } from '../src/package-folder.js';
import { readMigrations } from '../src/store/migrations.js';
import { createSql } from './create-sql.js';

/**
 * Writes the migrations that create the table of a new resource, one for each engine, dated after all others.
 *
 * @param root has the folder `prisma`
 * @returns the paths of the files
 */
export function printMigration(resource: Resource, root: URL, now = new Date()): readonly string[] {
  return (['sqlite', 'postgresql'] as const).map((engine) => {
    const last = readMigrations(engine, root).at(-1)?.name.slice(0, dateLength) ?? '';
    const today = now.toISOString().replaceAll(/\D/g, '').slice(0, dateLength);
    const date = today > last ? today : String(BigInt(last) + 1n);
    const folder = new URL(`prisma/${engine}/migrations/${date}_create_${resource.plural}/`, root);
    mkdirSync(folder, { recursive: true });
    const file = fileURLToPath(new URL('migration.sql', folder));
    writeFileSync(file, createSql(engine, resource), { flag: 'wx' });
    return file;
  });
}

/** Such as `20261120000000`. */
const dateLength = 14;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , name] = process.argv;
  const resource = Object.values<Resource>(resources).find((each) => each.name === name);
  if (resource === undefined)
    throw new Error(`Name one of the resources: ${Object.keys(resources).join(', ')}`);
  for (const file of printMigration(resource, packageFolder)) process.stdout.write(`${file}\n`);
}
