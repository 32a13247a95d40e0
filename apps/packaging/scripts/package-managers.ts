import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createProject } from './install.js';
import { run } from './run.js';

interface PackageManager {
  /** The packages that bring it, and how it adds a tarball of the client and runs a program. */
  readonly npx: readonly string[];
  readonly add: (tarball: string) => readonly string[];
  readonly node: readonly string[];
}

/** Those besides npm, each pinned. All but npm ask a registry for what a tarball depends on, even beside its tarball. */
const packageManagers: Readonly<Record<string, PackageManager>> = {
  pnpm: {
    npx: ['-p', 'pnpm@10.34.9', 'pnpm'],
    add: (tarball) => ['add', tarball],
    node: ['exec', 'node'],
  },
  'yarn 1': {
    npx: ['-p', 'yarn@1.22.22', 'yarn'],
    add: (tarball) => ['add', `file:${tarball}`],
    node: ['node'],
  },
  // With Plug'n'Play, its default, where a package finds only what it declares.
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
 * Adds a tarball of the client, and nothing else, to a project of each package manager, and runs compiled programs there.
 * bun runs them by itself, in place of Node.js.
 */
export function checkPackageManagers(tarball: string, programs: readonly string[]): void {
  for (const [name, { npx, add, node }] of Object.entries(packageManagers)) {
    const project = createProject(dirname(tarball), name.replace(' ', '-'));
    // Without it Yarn looks for a project in the folders above.
    if (name === 'yarn 4') writeFileSync(join(project, 'yarn.lock'), '');
    run(project, 'npx', '-y', ...npx, ...add(tarball));
    const scope = join(project, 'node_modules/@plant-store');
    const others = existsSync(scope) ? readdirSync(scope).filter((entry) => entry !== 'client') : [];
    if (others.length > 0) throw new Error(`${name} installed ${others.join(', ')}, too`);
    for (const program of programs) {
      copyFileSync(program, join(project, basename(program)));
      run(project, 'npx', '-y', ...npx, ...node, basename(program));
    }
    console.log(`consumer: the client, added by ${name}: ran`);
  }
}
