import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createProject } from './install.js';
import { pinnedPnpm } from './pinned-pnpm.js';
import { run } from './run.js';

interface PackageManager {
  /** The arguments for npx that install and run it. */
  readonly npx: readonly string[];
  /** Its arguments that add a tarball of the client. */
  readonly add: (tarball: string) => readonly string[];
  /** Its arguments that run a program. */
  readonly node: readonly string[];
}

/** The package managers besides npm, each pinned. All but npm look up the dependencies of a tarball in a registry. */
const packageManagers: Readonly<Record<string, PackageManager>> = {
  pnpm: {
    npx: ['-p', pinnedPnpm, 'pnpm'],
    add: (tarball) => ['add', tarball],
    node: ['exec', 'node'],
  },
  'yarn 1': {
    npx: ['-p', 'yarn@1.22.22', 'yarn'],
    add: (tarball) => ['add', `file:${tarball}`],
    node: ['node'],
  },
  // By default it uses Plug'n'Play, where a package can import only its declared dependencies.
  'yarn 4': {
    npx: ['-p', '@yarnpkg/cli-dist@4.18.1', 'yarn'],
    add: (tarball) => ['add', `@plant-store/client@file:${tarball}`],
    node: ['node'],
  },
  bun: {
    npx: ['-p', 'bun@1.4.5', 'bun'],
    add: (tarball) => ['add', tarball],
    node: [],
  },
};

/**
 * Adds only a tarball of the client to a project of each package manager, and runs compiled programs there: with bun
 * itself for bun, otherwise with Node.js.
 */
export function checkPackageManagers(tarball: string, programs: readonly string[]): void {
  for (const [name, { npx, add, node }] of Object.entries(packageManagers)) {
    const project = createProject(dirname(tarball), name.replace(' ', '-'));
    // Without this file, Yarn looks for a project in the parent folders.
    if (name === 'yarn 4') writeFileSync(join(project, 'yarn.lock'), '');
    run(project, 'npx', '-y', ...npx, ...add(tarball));
    const scope = join(project, 'node_modules/@plant-store');
    const others = existsSync(scope) ? readdirSync(scope).filter((entry) => entry !== 'client') : [];
    if (others.length > 0) throw new Error(`${name} also installed ${others.join(', ')}`);
    for (const program of programs) {
      copyFileSync(program, join(project, basename(program)));
      run(project, 'npx', '-y', ...npx, ...node, basename(program));
    }
    console.log(`consumer: the client, added with ${name}: ran`);
  }
}
