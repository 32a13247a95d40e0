import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const dist = new URL('../../dist/', import.meta.url);

/** Lists the modules that some built files load, from the path comments that the bundler writes above each. */
function listLoadedModules(...names: readonly string[]): string {
  const files = new Set(names.map(find));
  for (const file of files) {
    for (const [, imported = ''] of read(file).matchAll(/^(?:import|\} from) .*"\.\/([^"]+)";$/gm)) {
      files.add(imported);
    }
  }
  return [...files].flatMap((file) => read(file).match(/^\/\/ .*\.[cm]?[jt]s$/gm) ?? []).join('\n');
}

/** Finds the built file of a module that `main` imports, maybe indirectly; other builds may have left files too. */
function find(name: string): string {
  const files = new Set(['main.js']);
  for (const file of files) {
    for (const [, imported = ''] of read(file).matchAll(/\b(?:from |import |import\()"\.\/([^"]+)"/g)) {
      files.add(imported);
    }
  }
  const [file, ...others] = [...files].filter((file) => new RegExp(`^${name}(-\\w+)?\\.js$`).test(file));
  if (file === undefined || others.length > 0)
    throw new Error(`The build does not have exactly one file ${name}`);
  return file;
}

function read(file: string): string {
  return readFileSync(new URL(file, dist), 'utf8');
}

it('loads hardly anything before it checks the version of Node.js, so that an old one can report it', () => {
  const modules = listLoadedModules('main').split('\n');
  expect(new Set(modules.filter((module) => !module.includes('/commander/')))).toEqual(
    new Set([
      '// src/main.ts',
      '// src/runtime/require-node-version.ts',
      '// src/errors/operator-error.ts',
      '// src/cli/cli-context.ts',
      '// src/package-folder.ts',
      '// src/runtime/timing.ts',
    ]),
  );
});

it('loads neither a server nor a database to print help', () => {
  const modules = listLoadedModules('main', 'program', 'config');
  expect(modules).toContain('src/cli/program.ts');
  expect(modules).not.toMatch(/\/(express|pino|pg|@prisma\/adapter-[\w-]+|@prisma\/client)\//);
});

it('does not load PostgreSQL, the Prisma client or the rate limiter to serve from SQLite', () => {
  const modules = listLoadedModules('main', 'program', 'config', 'serve', 'open-sqlite');
  for (const needed of ['express', 'pino', '@prisma/adapter-better-sqlite3']) {
    expect(modules).toContain(`/${needed}/`);
  }
  expect(modules).not.toMatch(/\/(pg|@prisma\/adapter-pg|@prisma\/client|express-rate-limit)\//);
});

it('loads jose only where JSON Web Tokens are accepted', () => {
  expect(listLoadedModules('main', 'program', 'config', 'serve', 'open-sqlite')).not.toContain('/jose/');
  expect(listLoadedModules('accept-jwts')).toContain('/jose/');
});

it('does not load SQLite or the Prisma client to serve from PostgreSQL', () => {
  const modules = listLoadedModules('main', 'program', 'config', 'serve', 'open-postgresql');
  expect(modules).toContain('/pg/');
  expect(modules).not.toMatch(/\/(@prisma\/adapter-better-sqlite3|@prisma\/client)\//);
});

it('has source maps with their sources', () => {
  const { sources, sourcesContent }: { sources: string[]; sourcesContent: (string | null)[] } = JSON.parse(
    read('main.js.map'),
  );
  const place = sources.indexOf('../src/main.ts');
  expect(sourcesContent[place]).toBe(readFileSync(new URL('../src/main.ts', dist), 'utf8'));
});
