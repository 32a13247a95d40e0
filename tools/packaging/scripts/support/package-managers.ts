import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createProject } from './install.js';
import { pinnedPnpm } from './pinned-pnpm.js';
import { run } from './run.js';

interface PackageManager {
  /** The arguments for npx that install and run it. */
  readonly npx: readonly string[];
  /** Its arguments that add the client by the address of its tarball. */
  readonly add: (url: string) => readonly string[];
  /** Its arguments that run a program. */
  readonly node: readonly string[];
}

/** The package managers besides npm, each pinned. */
const packageManagers: Readonly<Record<string, PackageManager>> = {
  pnpm: {
    npx: ['-p', pinnedPnpm, 'pnpm'],
    add: (url) => ['add', url],
    node: ['exec', 'node'],
  },
  'yarn 1': {
    npx: ['-p', 'yarn@1.22.22', 'yarn'],
    add: (url) => ['add', url],
    node: ['node'],
  },
  // By default it uses Plug'n'Play, where a package can import only its declared dependencies.
  'yarn 4': {
    npx: ['-p', '@yarnpkg/cli-dist@4.18.1', 'yarn'],
    add: (url) => ['add', `@plant-store/client@${url}`],
    node: ['node'],
  },
  bun: {
    npx: ['-p', 'bun@1.4.5', 'bun'],
    add: (url) => ['add', url],
    node: [],
  },
};

/**
 * Adds only the client that a service hands out to a project of each package manager, and runs compiled programs there: with
 * bun itself for bun, otherwise with Node.js.
 *
 * @param parent the folder for the projects
 */
export function checkPackageManagers(parent: string, baseUrl: string, programs: readonly string[]): void {
  for (const [name, { npx, add, node }] of Object.entries(packageManagers)) {
    const project = createProject(parent, name.replace(' ', '-'));
    if (name === 'yarn 4') {
      // Without this file, Yarn looks for a project in the parent folders.
      writeFileSync(join(project, 'yarn.lock'), '');
      writeFileSync(join(project, '.yarnrc.yml'), `unsafeHttpWhitelist: ["${new URL(baseUrl).hostname}"]\n`);
    }
    run(project, 'npx', '-y', ...npx, ...add(`${baseUrl}/client.tgz`));
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
