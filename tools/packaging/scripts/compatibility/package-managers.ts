import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative, resolve } from 'node:path';
import process from 'node:process';
import { copyService } from '../support/copy-service.js';
import type { Table } from '../support/documented-table.js';
import { createProject, installTools } from '../support/install.js';
import { pinnedPnpm } from '../support/pinned-pnpm.js';
import { run } from '../support/run.js';
import { type RunningService, startService } from '../support/start-service.js';

interface PackageManager {
  readonly title: string;
  /** As `name@version`. */
  readonly package: string;
  readonly command: string;
  readonly add: string;
  /** Whether a monorepo has the client in its root, for all of its packages, instead of in each that uses it. */
  readonly isAddedToRoot?: boolean;
  /** Its arguments that install exactly what the lockfile has. */
  readonly frozen: readonly string[];
  /** What runs a program, by default Node.js. */
  readonly runner?: readonly string[];
  /** Its files in a repository, by their names. */
  readonly files?: Readonly<Record<string, string>>;
  /** Whether CI tries it. */
  readonly isInCi?: boolean;
}

const npm = { command: 'npm', add: 'install', frozen: ['ci'] };
const others = { add: 'add', frozen: ['install', '--frozen-lockfile'] };
const yarn4 = (linker: string): PackageManager => ({
  title: `Yarn 4.18.1, \`${linker}\``,
  package: '@yarnpkg/cli-dist@4.18.1',
  command: 'yarn',
  add: 'add',
  frozen: ['install', '--immutable'],
  // With Plug'n'Play only Yarn finds a package, and a package only its declared dependencies.
  runner: ['yarn', 'node'],
  // Without a lockfile it looks for a project in the parent folders.
  files: { 'yarn.lock': '', '.yarnrc.yml': `nodeLinker: ${linker}\n` },
});

const yarn1: PackageManager = {
  ...others,
  title: 'Yarn 1.22.22',
  package: 'yarn@1.22.22',
  command: 'yarn',
  // In a package it records the path from there, and takes it for one from the root.
  isAddedToRoot: true,
  isInCi: true,
};

const managers: readonly PackageManager[] = [
  { ...npm, title: 'npm 10.9.9', package: 'npm@10.9.9' },
  { ...npm, title: 'npm 11.21.2', package: 'npm@11.21.2' },
  { ...npm, title: 'npm 12.2.1', package: 'npm@12.2.1', isInCi: true },
  { ...others, title: pinnedPnpm.replace('@', ' '), package: pinnedPnpm, command: 'pnpm' },
  { ...others, title: 'pnpm 11.28.11', package: 'pnpm@11.28.11', command: 'pnpm' },
  { ...others, title: 'pnpm 12.21.0', package: 'pnpm@12.21.0', command: 'pnpm', isInCi: true },
  yarn1,
  yarn4('node-modules'),
  { ...yarn4('pnp'), isInCi: true },
  { ...others, title: 'Bun 1.4.5', package: 'bun@1.4.5', command: 'bun', runner: ['bun'], isInCi: true },
];

/** The folders of the package that uses the client, in a repository that is one package, and in a monorepo. */
const places = { package: '.', monorepo: 'packages/app' };

/** What GitHub's template for Node.js ignores, as far as it matters here. */
const ignored = [
  'node_modules/',
  '*.tgz',
  '.yarn/cache',
  '.yarn/unplugged',
  '.yarn/install-state.gz',
  '.pnp.*',
];

/** A repository of somebody who uses the client, with a program that calls the service. */
interface Repository {
  readonly title: string;
  readonly manager: PackageManager;
  readonly folder: string;
  /** The folder in it of the package that uses the client. */
  readonly place: string;
  /** Where commands are found, and caches are kept. */
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Installs the client with package managers as the README says, from a service that is then upgraded. The repository is cloned,
 * and installed with empty caches, after the upgrade of the service, and again, with the new client, once there is no service.
 *
 * @param forCi whether to try only what CI does, each in a repository that is one package
 */
export async function tryPackageManagers(
  parent: string,
  client: string,
  { forCi }: { readonly forCi: boolean },
): Promise<Table> {
  const kinds = forCi ? (['package'] as const) : (['package', 'monorepo'] as const);
  const repositories = managers
    .filter(({ isInCi }) => isInCi || !forCi)
    .flatMap((manager) => kinds.map((kind) => createRepository(parent, manager, kind)));
  const cells = repositories.map(({ title }) => [title]);
  const eachRepository = (use: (repository: Repository) => readonly string[]) => {
    for (const [index, repository] of repositories.entries()) cells[index]?.push(...use(repository));
  };
  const data = join(parent, 'managers-service');
  mkdirSync(data);
  const whileServing = async (version: string, use: (service: RunningService) => void) => {
    const service = await startService(data, copyService(parent, client, version));
    try {
      use(service);
    } finally {
      await service.stop();
    }
  };
  await whileServing('9.0.0', (service) => eachRepository((repository) => [install(repository, service)]));
  await whileServing('9.1.0', (service) =>
    eachRepository((repository) => [clone(repository, service), install(repository, service)]),
  );
  eachRepository((repository) => [clone(repository)]);
  for (const row of cells) console.log(`compatibility: ${row.join('; ')}`);
  return {
    head: [
      'package manager',
      'installed',
      'cloned after the upgrade',
      'upgraded',
      'cloned without a service',
    ],
    rows: cells,
  };
}

function createRepository(parent: string, manager: PackageManager, kind: keyof typeof places): Repository {
  const place = places[kind];
  const folder = mkdtempSync(join(parent, `${kind}-`));
  const manifest = { name: 'consumer', version: '1.0.0', private: true, type: 'module' };
  mkdirSync(join(folder, place), { recursive: true });
  writeFileSync(join(folder, place, 'package.json'), JSON.stringify(manifest));
  if (kind === 'monorepo') {
    const root = { name: 'root', private: true, workspaces: ['packages/*'] };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(root));
    writeFileSync(join(folder, 'pnpm-workspace.yaml'), 'packages: [packages/*]\n');
  }
  for (const program of ['installed.js', 'call-service.js']) {
    cpSync(resolve(import.meta.dirname, '../../compatibility', program), join(folder, place, program));
  }
  for (const [name, text] of Object.entries(manager.files ?? {})) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, '.gitignore'), `${ignored.join('\n')}\n`);
  run(folder, 'git', 'init', '--quiet');
  const commands = [installManager(parent, manager), dirname(process.execPath), process.env['PATH']];
  const title = kind === 'package' ? manager.title : `${manager.title}, ${kind}`;
  return { title, manager, folder, place, environment: withEmptyCaches(parent, commands.join(delimiter)) };
}

/** Installs a package manager, unless it is there, and returns the folder of its command. */
function installManager(parent: string, { package: name }: PackageManager): string {
  const project = join(parent, name.replaceAll('/', '-'));
  if (!existsSync(project)) installTools(createProject(parent, basename(project)), '--allow-build=bun', name);
  return join(project, 'node_modules/.bin');
}

/** Takes over only what leads to the package registry. */
function withEmptyCaches(parent: string, PATH: string | undefined): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS, npm_config_registry } = process.env;
  const home = mkdtempSync(join(parent, 'home-'));
  // Without XDG_CACHE_HOME, Yarn 1 keeps the cache of root outside of HOME.
  const folders = { HOME: home, XDG_CACHE_HOME: join(home, '.cache') };
  return { PATH, NODE_EXTRA_CA_CERTS, npm_config_registry, ...folders };
}

/** Follows the README with the client that a service hands out, and commits it. */
function install(repository: Repository, service: RunningService): string {
  const { manager, folder, place } = repository;
  const listTarballs = () => readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const former = listTarballs();
  run(folder, 'curl', '-fOJ', `${service.baseUrl}/client.tgz`);
  const [tarball = ''] = listTarballs().filter((name) => !former.includes(name));
  const { command, add, isAddedToRoot } = manager;
  const commands =
    isAddedToRoot && place !== '.'
      ? // The second one removes the former client, which the first one leaves in place.
        [
          tryCommand(repository, '.', [command, add, '-W', `./${tarball}`]),
          tryCommand(repository, '.', [command, 'install']),
        ]
      : [tryCommand(repository, place, [command, add, `${relative(place, '.') || '.'}/${tarball}`])];
  const { status } = commands.find((result) => result.status !== 0) ?? { status: 0 };
  for (const name of former) rmSync(join(folder, name));
  run(folder, 'git', 'add', '--all');
  run(folder, 'git', 'add', '--force', tarball);
  const author = ['-c', 'user.name=consumer', '-c', 'user.email=consumer@localhost'];
  run(folder, 'git', ...author, 'commit', '--message', tarball);
  return [status, runProgram(repository, service)].join(', ');
}

/** Clones the repository and installs what its lockfile has. */
function clone(original: Repository, service?: RunningService): string {
  const parent = dirname(original.folder);
  const folder = mkdtempSync(join(parent, 'clone-'));
  run(folder, 'git', 'clone', '--quiet', original.folder, '.');
  const cloned = { ...original, folder, environment: withEmptyCaches(parent, original.environment['PATH']) };
  const { command, frozen } = original.manager;
  const { status } = tryCommand(cloned, '.', [command, ...frozen]);
  return [status, runProgram(cloned, service)].join(', ');
}

/** Returns the version of the installed client, and the status of its call where there is a service. */
function runProgram(repository: Repository, service?: RunningService): string {
  const { place, manager } = repository;
  const command = [...(manager.runner ?? ['node']), 'installed.js'];
  if (service !== undefined) command.push(JSON.stringify({ baseUrl: service.baseUrl, token: service.token }));
  const { status, stdout } = tryCommand(repository, place, command);
  return status === 0 ? stdout.trim() : 'fails';
}

/** Runs a command in a folder of a repository. Its output is printed if it fails. */
function tryCommand({ title, folder, environment }: Repository, place: string, command: readonly string[]) {
  const [program = '', ...options] = command;
  const cwd = join(folder, place);
  const result = spawnSync(program, options, { cwd, env: environment, encoding: 'utf8' });
  if (result.error) throw result.error;
  if (result.status !== 0) console.error(`${title}: ${command.join(' ')}\n${result.stdout}${result.stderr}`);
  return result;
}
