import { spawnSync } from 'node:child_process';

/** The commit that a work tree has checked out, and when it was made, if known. */
export interface Commit {
  /** Its hash, with `-dirty` if the work tree has changes or new files; `unknown` outside of Git. */
  readonly id: string;
  readonly time: Date | undefined;
}

/** Finds the commit of the repository whose root a folder is. A repository further up is not asked. */
export function findCommit(folder: string): Commit {
  const git = (...args: readonly string[]) => {
    const { status, stdout } = spawnSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  const [hash, seconds] = git('log', '-1', '--format=%H %ct')?.split(' ') ?? [];
  if (hash === undefined || git('rev-parse', '--show-prefix') !== '')
    return { id: 'unknown', time: undefined };
  const isClean = git('status', '--porcelain') === '';
  return { id: isClean ? hash : `${hash}-dirty`, time: new Date(Number(seconds) * 1_000) };
}
