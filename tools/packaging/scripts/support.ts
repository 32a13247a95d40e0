import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** The root of the repository. */
export const root = resolve(import.meta.dirname, '../../..');

/** Returns a package with its version in the workspace, as `name@version`. */
export function pinned(name: string): string {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return `${name}@${JSON.parse(readFileSync(manifest, 'utf8')).version}`;
}

/**
 * Runs a command in a folder, and returns its standard output.
 *
 * @throws {Error} with the output if the command fails
 */
export const run = (cwd: string, ...command: readonly string[]) => runIn({ cwd }, ...command);

/** Does the same with an environment. */
export function runIn(
  { cwd, env }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
  ...[program = '', ...options]: readonly string[]
): string {
  const { error, status, stdout, stderr } = spawnSync(program, options, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status === 0) return stdout;
  throw new Error(`${program} ${options.join(' ')}\n${stdout}${stderr}`, { cause: error });
}

/** The packages as they would be published. */
export interface Packed {
  /** A folder outside the workspace, for projects that use the packages. */
  readonly folder: string;
  /** The paths of their tarballs. */
  readonly client: string;
  readonly contract: string;
}

/** Packs the built packages for an action, and removes their folder afterward. */
export async function withPackedPackages(use: (packed: Packed) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-packed-'));
  const pack = (name: string) => {
    const tarball = join(folder, `${name}.tgz`);
    run(join(root, 'packages', name), 'pnpm', 'pack', '--out', tarball);
    return tarball;
  };
  try {
    await use({ folder, client: pack('client'), contract: pack('contract') });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Creates a project outside the workspace with a copy of a folder of this package, and returns its folder. */
export function createProject(parent: string, name: string, source?: string): string {
  const project = join(parent, name);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }));
  if (source !== undefined) cpSync(resolve(import.meta.dirname, '..', source), project, { recursive: true });
  return project;
}

/** Installs packages, given as `name@version` or as paths of tarballs. Uses pnpm, which is fast, with npm's folder layout. */
export function install(project: string, ...packages: readonly string[]): void {
  run(project, 'pnpm', 'add', '--config.node-linker=hoisted', '--allow-build=bun', ...packages);
}

export interface RunningService {
  readonly baseUrl: string;
  readonly token: string;
}

/** Starts the built service on a free port for an action, and stops it afterward. Its data is in the folder. */
export async function withService<Result>(
  folder: string,
  use: (service: RunningService) => Result | Promise<Result>,
): Promise<Result> {
  const main = join(root, 'apps/api/dist/main.js');
  const child = spawn(process.execPath, [main, 'serve', '--quickstart'], {
    cwd: folder,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const baseUrl = /^\{.*"baseUrl":"([^"]+)"/.exec(line)?.[1];
      if (baseUrl === undefined) continue;
      child.stdout.resume();
      return await use({ baseUrl, token: readFileSync(join(folder, 'data/access-token'), 'utf8').trim() });
    }
    throw new Error('The service did not start');
  } finally {
    child.kill();
    await exited;
  }
}
