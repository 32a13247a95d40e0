import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { scopes } from '@plant-store/contract/access-token';

/** A program to measure. */
export interface Target {
  /** The target's name in `--only` and in the results. */
  readonly name: string;
  /** The target's title in tables and charts. */
  readonly title: string;
  /** Returns the installed versions of the target's packages and the engine's driver. */
  versions(driver: string): string;
  /** What the target lacks compared with the service, beyond what all other targets lack. */
  readonly leavesOut?: string | undefined;
  /** How many cores the target can use. Default: 1. */
  readonly cores?: number | undefined;
  /** What the target supports in addition to creates on SQLite. Only the baseline stores nothing. */
  readonly has: readonly ('storage' | 'reads' | 'postgresql' | 'resources')[];
  /** An SQL condition for rows that are not deleted records, if deletes leave rows. */
  readonly stored?: string;
  /** Returns what to install, or `undefined` if the target can run. */
  missing?(): string | undefined;
  /** Prepares the database, and returns how to start the target on a port of 127.0.0.1. */
  prepare(databaseUrl: string, port: number): Launch;
}

/** How to start the process of a target. */
export interface Launch {
  readonly command: readonly [program: string, ...options: string[]];
  readonly environment?: Readonly<Record<string, string>>;
  /** The access token that the target accepts. */
  readonly token: string;
}

const inRepository = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

interface ServiceOptions {
  /** Settings that differ from the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The path to the node binary. Default: that of this process. */
  readonly node?: string;
  /** The scopes of the token. Default: all operations on the records of all resources. */
  readonly can?: readonly string[];
}

/** Returns the service, as operators run it, as a target. */
export function plantStore({
  settings = {},
  node = process.execPath,
  can = scopes.filter((scope) => scope !== 'admin'),
}: ServiceOptions = {}): Target {
  const service = inRepository('apps/api/dist/main.js');
  return {
    name: 'plant-store',
    title: 'Plant Store',
    versions: (driver) => `${readVersion(inRepository('apps/api/package.json'))}, ${versionsOf(driver)}`,
    has: ['storage', 'reads', 'postgresql', 'resources'],
    stored: 'NOT deleted',
    prepare(databaseUrl, port) {
      const environment = { ...settings, PORT: String(port), DATABASE_URL: databaseUrl };
      // This also migrates the database.
      const options = [service, 'token', 'create', '--name', 'bench', '--can', can.join()];
      const token = execFileSync(node, options, {
        env: environment,
        encoding: 'utf8',
        stdio: 'pipe',
      }).trim();
      return { command: [node, service, 'serve'], environment, token };
    },
  };
}

const readVersion = (path: string): string => JSON.parse(readFileSync(path, 'utf8')).version;

/** Returns packages with their installed versions: `fastify 5.12.8, pg 8.23.1`. */
const versionsOf = (...packages: readonly string[]) =>
  packages.map((name) => `${name} ${readVersion(findPackageJSON(name, import.meta.url) ?? '')}`).join(', ');

/** Returns a target that runs a program in `targets/`. */
function nodeTarget(
  script: string,
  packages: readonly string[],
  target: Pick<Target, 'name' | 'title' | 'has' | 'leavesOut'>,
  ...options: readonly string[]
): Target {
  const path = inRepository(`tools/bench/dist/targets/${script}.js`);
  return {
    ...target,
    versions: (driver) => versionsOf(...packages, driver),
    prepare: prepareProgram(() => [process.execPath, path], options),
  };
}

/** Returns a function that prepares a program, with the database, a new token, the port, and options as its arguments. */
function prepareProgram(
  build: (databaseUrl: string) => Launch['command'],
  options: readonly string[] = [],
): Target['prepare'] {
  return (databaseUrl, port) => {
    const token = `pst_${randomBytes(24).toString('hex')}`;
    return { command: [...build(databaseUrl), databaseUrl, token, String(port), ...options], token };
  };
}

// Where Debian installs Go and its packages.
const go = '/usr/bin/go';
const goPath = '/usr/share/gocode';

/** The Debian packages that are needed to build the Go server. */
const goPackages = 'golang-go gcc libc6-dev golang-github-mattn-go-sqlite3-dev';

const goSqlite: Target = {
  name: 'go-sqlite',
  title: 'Go, group commit',
  versions: () => `Go ${/go(\d\S+)/.exec(execFileSync(go, ['version'], { encoding: 'utf8' }))?.[1]}`,
  leavesOut: 'idempotent retries, request log',
  has: ['storage'],
  missing: () =>
    existsSync(go) && existsSync(`${goPath}/src/github.com/mattn/go-sqlite3`)
      ? undefined
      : `apt-get install ${goPackages}`,
  prepare: prepareProgram((databaseUrl) => {
    const program = join(dirname(databaseUrl.replace('file:', '')), 'go-sqlite');
    // Go keeps its build cache in HOME.
    const env = { PATH: '/usr/bin:/bin', HOME: homedir(), GO111MODULE: 'off', GOPATH: goPath };
    const source = inRepository('tools/bench/src/targets/go-sqlite.go');
    execFileSync(go, ['build', '-o', program, source], { env });
    return [program];
  }),
};

/** All targets, in the order of the tables. */
export const allTargets: readonly Target[] = [
  plantStore(),
  nodeTarget(
    'fastify',
    ['fastify'],
    {
      name: 'fastify-group-log',
      title: 'Fastify, group commit, request log',
      leavesOut: 'exact 64-bit ids',
      has: ['storage', 'reads', 'postgresql'],
    },
    'group-commit',
    'log',
  ),
  nodeTarget(
    'fastify',
    ['fastify'],
    {
      name: 'fastify-group',
      title: 'Fastify, group commit',
      leavesOut: 'request log, exact 64-bit ids',
      has: ['storage', 'reads', 'postgresql'],
    },
    'group-commit',
  ),
  nodeTarget('fastify', ['fastify'], {
    name: 'fastify',
    title: 'Fastify, one commit per request',
    leavesOut: 'group commit, request log, exact 64-bit ids',
    has: ['storage', 'postgresql'],
  }),
  nodeTarget('express-prisma', ['express', '@ts-rest/express', '@prisma/client'], {
    name: 'express-prisma',
    title: 'Express + ts-rest + Prisma',
    leavesOut: 'idempotent retries, group commit, request log, exact 64-bit ids',
    has: ['storage', 'reads', 'postgresql'],
  }),
  nodeTarget('hono-drizzle', ['hono', 'drizzle-orm'], {
    name: 'hono-drizzle',
    title: 'Hono + Drizzle',
    leavesOut: 'idempotent retries, group commit, request log, exact 64-bit ids',
    has: ['storage'],
  }),
  goSqlite,
  {
    name: 'baseline',
    title: 'bare node:http, stores nothing',
    versions: () => `Node.js ${process.versions.node}`,
    leavesOut: 'token check, validation, storage',
    has: [],
    prepare: prepareProgram(() => [process.execPath, inRepository('tools/bench/dist/targets/baseline.js')]),
  },
];
