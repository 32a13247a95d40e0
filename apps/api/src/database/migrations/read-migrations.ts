import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageFolder } from '../../package-folder.js';
import type { DatabaseLocation } from '../database-location.js';

/** A migration in Prisma's layout: a folder with a `migration.sql`. */
export interface Migration {
  /** The name of its folder; migrations are applied in the order of their names. */
  readonly name: string;
  readonly sql: string;
  /** The SHA-256 of the file, in hexadecimal. */
  readonly checksum: string;
}

/** The migrations of this version for an engine, in order. */
export function readMigrations(engine: DatabaseLocation['engine']): readonly Migration[] {
  const folder = new URL(`prisma/${engine}/migrations/`, packageFolder);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readMigration(name, fileURLToPath(new URL(`${name}/migration.sql`, folder))))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function readMigration(name: string, file: string): Migration {
  if (!existsSync(file)) throw new Error(`The migration ${name} has no file ${file}`);
  const content = readFileSync(file);
  return {
    name,
    sql: content.toString('utf8'),
    checksum: createHash('sha256').update(content).digest('hex'),
  };
}
