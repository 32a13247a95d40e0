import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The repository's pnpm version, as `pnpm@<version>`. */
export const { packageManager }: { readonly packageManager: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
);

/** A package of the repository. */
export interface Workspace {
  readonly name: string;
  readonly folder: string;
}

/** Runs pnpm in a folder, and returns its exit status and output. */
export function pnpm(folder: string, ...options: readonly string[]) {
  const { status, stdout, stderr, error } = spawnSync('npx', ['-y', packageManager, ...options], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 26,
  });
  if (error) throw error;
  return { status, stdout, output: `${stdout}${stderr}` };
}

/** Lists all packages of the repository except the root, which has no code. */
export function listWorkspaces(root: string): readonly Workspace[] {
  const { status, stdout, output } = pnpm(root, 'list', '--recursive', '--depth=-1', '--json');
  if (status !== 0) throw new Error(`pnpm cannot list the workspaces:\n${output}`);
  const listed: readonly { name: string; path: string }[] = JSON.parse(stdout);
  return listed.filter(({ path }) => path !== root).map(({ name, path }) => ({ name, folder: path }));
}
