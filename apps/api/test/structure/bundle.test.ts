import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const dist = new URL('../../dist/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, dist), 'utf8');

/** Adds the files that some files import by such statements, and those that these import. */
function addImported(files: readonly string[], statement: RegExp): Set<string> {
  const found = new Set(files);
  for (const file of found)
    for (const [, imported = ''] of read(file).matchAll(statement)) found.add(imported);
  return found;
}

/** All that `main` imports, maybe later; other builds may have left files too. */
const files = [...addImported(['main.js'], /\b(?:from |import |import\()"\.\/([^"]+)"/g)];

/** Lists the modules that some built files load, from the path comments that the bundler writes above each. */
function listLoadedModules(...names: readonly string[]): string {
  const roots = names.map((name) => {
    const [file, ...others] = files.filter((file) => new RegExp(`^${name}(-\\w+)?\\.js$`).test(file));
    if (file !== undefined && others.length === 0) return file;
    throw new Error(`The build does not have exactly one file ${name}`);
  });
  const loaded = [...addImported(roots, /^(?:import|\} from) .*"\.\/([^"]+)";$/gm)];
  return loaded.flatMap((file) => read(file).match(/^\/\/ .*\.[cm]?[jt]s$/gm) ?? []).join('\n');
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
      // For the messages of errors.
      '// ../../packages/contract/dist/escape-invisible.js',
      // For `--json`.
      '// ../../packages/contract/dist/exact-json/stringify.js',
      '// src/runtime/timing.ts',
    ]),
  );
});

// The library of metrics has the API of OpenTelemetry.
const sqliteOnly = /\/(pg|@prisma\/adapter-[\w-]+|@prisma\/client|jose|@opentelemetry\/(?!api\/)[\w-]+)\//;

const serveOnly = /\/(express|pino|pg|@prisma\/adapter-[\w-]+|@prisma\/client)\//;

it.each([
  ['print help', ['program', 'config'], ['src/cli/program.ts'], serveOnly],
  [
    'serve from SQLite',
    ['program', 'config', 'serve', 'open-sqlite'],
    ['/express/', '/pino/', 'src/store/sqlite/connections.ts'],
    sqliteOnly,
  ],
  [
    'serve from PostgreSQL',
    ['program', 'config', 'serve', 'open-postgresql'],
    ['/pg/'],
    /\/(@prisma\/adapter-[\w-]+|@prisma\/client|@opentelemetry\/(?!api\/)[\w-]+)\//,
  ],
  ['accept JSON Web Tokens', ['accept-jwts'], ['/jose/'], /\/@prisma\//],
  ['export telemetry', ['otlp'], ['/@opentelemetry/sdk-trace/'], /\/(@prisma|jose)\//],
])('loads only what it needs to %s', (_, files, needed, unneeded) => {
  const modules = listLoadedModules('main', ...files);
  for (const module of needed) expect(modules).toContain(module);
  expect(modules).not.toMatch(unneeded);
});
