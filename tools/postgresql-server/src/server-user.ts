import { execFileSync } from 'node:child_process';

/** The IDs of the user and the group that a process runs as. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Finds the user that PostgreSQL runs as. If this process runs as root, that is `nobody`, because PostgreSQL does not run as root, and
 * `nobody` exists on every system.
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
