import { execFileSync } from 'node:child_process';

/** The user and group that a process runs as, by their numbers. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The user that PostgreSQL runs as: this process's own, or `nobody` for root, whom PostgreSQL refuses. `nobody` exists
 * on every system, so that no user has to be created.
 *
 * @returns `undefined` where the server runs as the user of this process
 */
export function findServerUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return { uid: numberOf('-u'), gid: numberOf('-g') };
}

function numberOf(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
}
