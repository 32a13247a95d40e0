// Fails if the registry has had a newer release of a pinned Node.js major version for more than 14 days, because it might fix a security
// problem. Checks the package of each platform, because different people publish them.
//   pnpm exec node .ci/node-patches.ts
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How long a pinned version may be out of date, in days. */
const maxDays = 14;

/** Returns the pinned Node.js version of each platform in the pnpm catalog, by package name. */
export function readPinned(workspace: string): ReadonlyMap<string, string> {
  const lines = workspace.matchAll(/^ {2}(node-(?:bin-)?(?:darwin|linux)-\w+): (\S+)$/gm);
  return new Map(Array.from(lines, ([, name = '', version = '']) => [name, version]));
}

/** Returns the newest version of the pinned line that is newer and was published more than 14 days ago, or `undefined`. */
export function findOverdue(
  pinned: string,
  published: Readonly<Record<string, string>>,
  now: Date,
): string | undefined {
  const [line] = pinned.split('.');
  const isOverdue = ([version, time]: readonly [string, string]) =>
    /^\d+\.\d+\.\d+$/.test(version) &&
    version.startsWith(`${line}.`) &&
    compareVersions(version, pinned) > 0 &&
    now.getTime() - Date.parse(time) > maxDays * 86_400_000;
  return Object.entries(published)
    .filter(isOverdue)
    .map(([version]) => version)
    .toSorted(compareVersions)
    .at(-1);
}

/** Compares versions by their numbers, to sort them. */
export function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

if (import.meta.main) {
  const pinned = readPinned(readFileSync(join(import.meta.dirname, '../pnpm-workspace.yaml'), 'utf8'));
  if (pinned.size !== 4) throw new Error('pnpm-workspace.yaml does not pin Node.js for four platforms');
  for (const [name, version] of pinned) {
    // Runs outside the repository, because npm objects to its `packageManager`.
    const output = execFileSync('npm', ['view', name, 'time', '--json'], { cwd: tmpdir(), encoding: 'utf8' });
    const overdue = findOverdue(version, JSON.parse(output), new Date());
    console.log(`${name} ${version}: ${overdue === undefined ? 'up to date' : `${overdue} is overdue`}`);
    if (overdue !== undefined) process.exitCode = 1;
  }
}
