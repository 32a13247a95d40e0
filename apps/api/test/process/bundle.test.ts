import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const dist = new URL('../../dist/', import.meta.url);

/** The modules that loading some files of the build loads, by the paths that the bundler notes above each. */
function loadedBy(...names: readonly string[]): string {
  const files = new Set(names.map(find));
  for (const file of files) {
    for (const [, imported = ''] of read(file).matchAll(/^(?:import|\} from) .*"\.\/([^"]+)";$/gm)) {
      files.add(imported);
    }
  }
  return [...files].flatMap((file) => read(file).match(/^\/\/ .*\.[cm]?[jt]s$/gm) ?? []).join('\n');
}

/** The file of a module that `main` imports, maybe by `import()` of others; files of other builds may lie beside it. */
function find(name: string): string {
  const files = new Set(['main.js']);
  for (const file of files) {
    for (const [, imported = ''] of read(file).matchAll(/\b(?:from |import |import\()"\.\/([^"]+)"/g)) {
      files.add(imported);
    }
  }
  const [file, ...others] = [...files].filter((file) => new RegExp(`^${name}(-\\w+)?\\.js$`).test(file));
  if (file === undefined || others.length > 0) throw new Error(`The build has not one file ${name}`);
  return file;
}

function read(file: string): string {
  return readFileSync(new URL(file, dist), 'utf8');
}

it('loads neither a server nor a database for a command that says how it is called', () => {
  const modules = loadedBy('main');
  expect(modules).toContain('/commander/');
  expect(modules).not.toMatch(/\/(express|pino|pg|@prisma\/adapter-[\w-]+|@prisma\/client)\//);
});

it('loads for serving from SQLite neither PostgreSQL, nor the client of Prisma, nor what limits rates', () => {
  const modules = loadedBy('main', 'serve', 'open-sqlite');
  for (const needed of ['express', 'pino', '@prisma/adapter-better-sqlite3']) {
    expect(modules).toContain(`/${needed}/`);
  }
  expect(modules).not.toMatch(/\/(pg|@prisma\/adapter-pg|@prisma\/client|express-rate-limit)\//);
});

it('loads for serving from PostgreSQL neither SQLite nor the client of Prisma', () => {
  const modules = loadedBy('main', 'serve', 'open-postgresql');
  expect(modules).toContain('/pg/');
  expect(modules).not.toMatch(/\/(@prisma\/adapter-better-sqlite3|@prisma\/client)\//);
});

it('has the sources that its source maps lead to', () => {
  const { sources, sourcesContent }: { sources: string[]; sourcesContent: (string | null)[] } = JSON.parse(
    read('main.js.map'),
  );
  const place = sources.indexOf('../src/main.ts');
  expect(sourcesContent[place]).toBe(readFileSync(new URL('../src/main.ts', dist), 'utf8'));
});
