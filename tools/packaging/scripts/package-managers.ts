import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Table } from './documented-table.js';
import {
  createProject,
  install,
  type Packed,
  type RunningService,
  run,
  runIn,
  withService,
} from './support.js';

/** The package managers, each with its commands to add a package, to install exactly what its lockfile has, and to run a program. */
const managers = [
  ['npm@12.2.1', 'npm install', 'npm ci', 'node'],
  ['pnpm@12.21.0', 'pnpm add', 'pnpm install --frozen-lockfile', 'node'],
  ['yarn@1.22.22', 'yarn add', 'yarn install --frozen-lockfile', 'node'],
  // With Plug'n'Play, only Yarn can resolve a package, and a package can import only its declared dependencies.
  ['@yarnpkg/cli-dist@4.18.1', 'yarn add', 'yarn install --immutable', 'yarn node'],
  ['bun@1.4.5', 'bun add', 'bun install --frozen-lockfile', 'bun'],
].map(([name = '', ...commands]) => {
  const [add = [], frozen = [], node = []] = commands.map((command) => command.split(' '));
  return { name, add, frozen, node };
});

/** The relevant part of GitHub's `.gitignore` for Node.js. */
const ignored = 'node_modules/ *.tgz .yarn/cache .yarn/unplugged .yarn/install-state.gz .pnp.*';

/** The repository of a consumer. */
interface Repository {
  readonly manager: (typeof managers)[number];
  readonly cwd: string;
  /** With the package manager in `PATH`, and with caches that are empty at first. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * With each package manager, installs the client from a service as the client's README says, and then a later version. Then installs that
 * in a clone of the consumer's repository, with empty caches and without a service.
 */
export async function tryPackageManagers({ folder, client }: Packed): Promise<Table> {
  const repositories = managers.map((manager) => createRepository(folder, manager));
  const later = repack(folder, client, '99.0.0');
  await withService(mkdtempSync(join(folder, 'service-')), (service) => {
    for (const repository of repositories) {
      run(repository.cwd, 'curl', '-fOJ', `${service.baseUrl}/client.tgz`);
      addAndCommit(repository, service);
      cpSync(later, join(repository.cwd, 'plant-store-client-99.0.0.tgz'));
      addAndCommit(repository, service);
    }
  });
  for (const { cwd: original, manager, env } of repositories) {
    const cwd = mkdtempSync(join(folder, 'clone-'));
    const clone = { manager, cwd, env: withEmptyCaches(folder, env['PATH']) };
    run(cwd, 'git', 'clone', '--quiet', original, '.');
    runIn(clone, ...manager.frozen);
    checkInstalled(clone, '99.0.0');
  }
  return { head: ['package manager'], rows: managers.map(({ name }) => [name]) };
}

function createRepository(parent: string, manager: Repository['manager']): Repository {
  const name = `with-${manager.name.replaceAll(/[@/]/g, '-')}`;
  const tools = createProject(parent, `tools-${name}`);
  install(tools, manager.name);
  const cwd = createProject(parent, name, 'compatibility/run');
  writeFileSync(join(cwd, '.gitignore'), `${ignored.replaceAll(' ', '\n')}\n`);
  if (manager.node.length > 1) {
    writeFileSync(join(cwd, '.yarnrc.yml'), 'nodeLinker: pnp\n');
    // Without a lockfile, Yarn looks for a project in the parent folders.
    writeFileSync(join(cwd, 'yarn.lock'), '');
  }
  run(cwd, 'git', 'init', '--quiet');
  const commands = [join(tools, 'node_modules/.bin'), dirname(process.execPath), process.env['PATH']];
  return { manager, cwd, env: withEmptyCaches(parent, commands.join(delimiter)) };
}

function withEmptyCaches(parent: string, PATH: string | undefined): NodeJS.ProcessEnv {
  const HOME = mkdtempSync(join(parent, 'home-'));
  const { NODE_EXTRA_CA_CERTS, npm_config_registry } = process.env;
  // Without XDG_CACHE_HOME, Yarn 1 keeps the cache of root outside of HOME.
  return { PATH, NODE_EXTRA_CA_CERTS, npm_config_registry, HOME, XDG_CACHE_HOME: join(HOME, '.cache') };
}

/** Repacks a tarball with another version. */
function repack(folder: string, tarball: string, version: string): string {
  run(folder, 'tar', '-xzf', tarball);
  const manifest = join(folder, 'package/package.json');
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), version }));
  run(folder, 'tar', '-czf', 'later.tgz', 'package');
  return join(folder, 'later.tgz');
}

/** Installs the tarball that is not committed yet, removes the previous one, commits both changes, and calls the service. */
function addAndCommit(repository: Repository, service: RunningService): void {
  const { cwd, manager } = repository;
  const previous = run(cwd, 'git', 'ls-files', '*.tgz').trim();
  const added = readdirSync(cwd).find((name) => name.endsWith('.tgz') && name !== previous) ?? '';
  runIn(repository, ...manager.add, `./${added}`);
  if (previous !== '') rmSync(join(cwd, previous));
  run(cwd, 'git', 'add', '--all');
  run(cwd, 'git', 'add', '--force', added);
  const author = ['-c', 'user.name=consumer', '-c', 'user.email=consumer@localhost'];
  run(cwd, 'git', ...author, 'commit', '--message', added);
  checkInstalled(repository, added.replace(/^plant-store-client-(.*)\.tgz$/, '$1'), service);
}

/** Checks the version of the installed client and, if there is a service, calls it. */
function checkInstalled(repository: Repository, version: string, service?: RunningService): void {
  const { name, node } = repository.manager;
  const given = service === undefined ? [] : [JSON.stringify(service)];
  const printed = runIn(repository, ...node, 'main.js', ...given).trim();
  if (printed !== `${version}${service === undefined ? '' : ' 200'}`) throw new Error(`${name}: ${printed}`);
}
