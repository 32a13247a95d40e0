import { execFileSync } from 'node:child_process';

/** The ids of the user and the group that a process runs as. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Finds the user that PostgreSQL runs as: `nobody` if this process runs as root, which PostgreSQL refuses. `nobody`
 * exists on every system, so no user has to be created.
 *
 * @returns `undefined` if the server runs as the user of this process
 */
export function findServerUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return { uid: readId('-u'), gid: readId('-g') };
}

function readId(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
}
