// Checks that no file imports what the rules below forbid, including types. Tests can import anything:
//   node .ci/check-imports.ts
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'oxc-parser';
import { ResolverFactory } from 'oxc-resolver';

const npm = (...names: readonly string[]) => `/node_modules/(${names.join('|')})/`;
const server = npm('express', '@ts-rest/express');
const drivers = npm('@prisma', 'better-sqlite3');
const builtin = '^[a-z_]+(/promises)?$';
const contract = (files: string) => `^packages/contract/src/(${files})`;
const client = (files: string) => `^packages/client/src/(${files})`;
const api = (folders: string) => `^apps/api/src/(${folders})`;
const web = (folders: string) => `^apps/web/src/(${folders})`;

/** Files that match `from` must not import what matches `to`. `why` states the rule. All patterns match paths from the root. */
// biome-ignore format: a table
const rules: readonly (readonly [from: string, to: string | readonly string[], why: string])[] = [
  ['^packages/', '^apps/', 'Packages do not depend on apps.'],
  ['^packages/contract/', '^(?!packages/contract/|.*node_modules/|[^/]+$)', 'The contract depends on nothing else of this repository.'],
  ['^packages/records/', '^(?!packages/(records|contract)/)', 'Operations depend only on the contract: on no platform, and no library.'],
  [client('(?!testing/|msw|validate|data-tag)'), [npm('zod', 'msw', '@tanstack'), builtin], 'The client runs on every platform, without another library.'],
  [client('(?!testing/|msw|validate|data-tag)'), contract('(index|openapi|exact-json/parse)\\.ts'), 'The client uses only plain data of the contract.'],
  [client('(?!testing/|msw)'), [client('testing/|msw|validate'), '^packages/records/'], 'The client has neither code for tests nor schemas.'],
  [client('testing/|msw|validate'), builtin, 'The fake plant store runs on every platform, including browsers.'],
  [api('http/'), [drivers, api('store/|cluster/')], 'http/ reaches the database through what service.ts passes in.'],
  [api('auth/'), [server, drivers, api('http/|store/|cluster/')], 'auth/ depends on no other folder of the service.'],
  [api('store/'), [server, api('http/|cluster/')], 'store/ depends neither on http/ nor on cluster/.'],
  [api('cluster/'), [server, drivers], 'cluster/ depends on neither Express nor Prisma.'],
  [api('check/'), [server, npm('better-sqlite3'), api('http/|observe/|cli/|cluster/')], 'check/ examines what other folders use; only cli/ uses it.'],
  [api('observe/|runtime/'), [npm('@ts-rest/express'), drivers], 'observe/ and runtime/ depend on neither ts-rest nor Prisma.'],
  [api('observe/|runtime/'), api('http/|cli/|store/|cluster/|config\\.ts'), 'observe/ and runtime/ measure what is passed in.'],
  [web('(?!import/|plants/form/plant-schema|shared/avoid-eval)'), [npm('zod'), contract('(index|exact-json/parse)\\.ts')], 'The first view has no zod.'],
  [web('shared/'), web('token/|plants/|add/|import/'), 'shared/ depends on no other folder of the page.'],
  [web('token/'), web('plants/|add/|import/'), 'token/ depends only on shared/.'],
  [web('add/|plants/'), web('token/|import/'), 'plants/ depends only on shared/, add/ on plants/, too.'],
  [web('import/'), web('token/'), 'import/ depends on shared/, and on what add/ exports for both.'],
  [web('import/worker/'), [npm('react', 'react-dom', '@tanstack'), web('import/(steps|session)/')], 'import/worker/ runs in a worker.'],
  [web('import/(?!worker/)'), [npm('saxen', 'zod'), contract(''), web('import/worker/(?!(main|import-worker)\\.ts)')], 'What takes long runs in import/worker/.'],
  ['^tools/proof/', [api(''), contract('exact-json/')], 'A proof knows the service only from outside, and reads JSON by other code.'],
];

const root = join(import.meta.dirname, '..');
const resolver = new ResolverFactory({
  conditionNames: ['@plant-store/source', 'import', 'default'],
  extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
});

/** Returns what a file imports: paths from the root, and names of Node.js modules without `node:`. */
function readImports(file: string): readonly string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const { module } = parseSync(file, source);
  const requests = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.map(({ moduleRequest }) => moduleRequest?.value),
    ),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => source.slice(start + 1, end - 1)),
  ];
  return requests
    .filter((request) => request !== undefined)
    .map((request) => {
      if (isBuiltin(request)) return request.replace('node:', '');
      const { path } = resolver.sync(join(root, dirname(file)), request.replace(/\?.*/, ''));
      // A package with only types has no file to resolve to.
      return path === undefined ? request : relative(root, path);
    });
}

const files = globSync(
  ['packages/*/{src,scripts}', 'apps/*/src', 'tools/*/src'].map((folder) => `${folder}/**/*.{ts,tsx,js}`),
  {
    cwd: root,
  },
).filter((file) => !/\.test(-d)?\.tsx?$|\.d\.ts$|\/(test|generated)\//.test(file));
for (const file of files) {
  const imports = readImports(file);
  for (const [, to, why] of rules.filter(([from]) => new RegExp(from).test(file)))
    for (const found of imports)
      if ([to].flat().some((pattern) => new RegExp(pattern).test(found))) {
        console.error(`${file} imports ${found}: ${why}`);
        process.exitCode = 1;
      }
}
// Fails if the patterns above find too few files, because the others would not be checked.
if (files.length < 400) process.exitCode = 1;
