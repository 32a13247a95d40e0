import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { expect, inject, it } from 'vitest';
import type {} from '../../test/support/release/global-setup.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { packageFolder, root } from './folders.js';
import { writeRelease } from './write-release.js';

const { folder, files, bytes, commit, time } = inject('release');
const { version, engines } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));

const listPaths = (of: string) => readdirSync(of, { recursive: true, encoding: 'utf8' }).toSorted();

/** The paths of its files, relative to it. */
const paths = listPaths(folder).filter((path) => !statSync(join(folder, path)).isDirectory());

const read = (path: string) => readFileSync(join(folder, path), 'utf8');

/** The patterns that a pattern with alternatives in braces stands for: a file of each must be there. */
function expand(pattern: string): readonly string[] {
  const [braces, alternatives] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  if (braces === undefined || alternatives === undefined) return [pattern];
  return alternatives.split(',').flatMap((alternative) => expand(pattern.replace(braces, alternative)));
}

it('has what a server needs, and no other file', () => {
  expect(files).toBe(paths.length);
  const patterns = [
    '{CHANGELOG,README}.md',
    'LICENSE',
    'THIRD_PARTY_LICENSES.txt',
    'package.json',
    'sbom.cdx.json',
    'dist/{main,checkpoint-worker,list-worker,copy-process}.js',
    'dist/*-[0-9A-Z]*.js',
    'dist/query_compiler_small_bg.{sqlite,postgresql}.wasm-????????.br',
    'dist/client/{plant-store-client-*.tgz,files.json}',
    'dist/page/files.json',
    'dist/page/{index.html,icon.svg}{,.br,.gz}',
    'dist/page/assets/*-??????.{css,js}{,.br,.gz}',
    'dist/page/assets/*-??????.woff2',
    'dist/docs/files.json',
    'dist/docs/openapi.json{.br,.gz}',
    'dist/docs/{no-,}page-{no-,}client.html{,.br,.gz}',
    'dist/docs/assets/viewer-????????.css{,.br,.gz}',
    'dist/docs/assets/swagger-ui-????????.css{.br,.gz}',
    'dist/docs/assets/{swagger-ui-bundle,viewer}-????????.js{.br,.gz}',
    'prisma/{sqlite,postgresql}/migrations/released.sha256',
    'prisma/{sqlite,postgresql}/migrations/[0-9]*_*/migration.sql',
    'docs/{SECURITY,operate/*,use/*}.md',
    'deploy/**/{*.*,Caddyfile}',
    'node_modules/better-sqlite3/{LICENSE,package.json}',
    'node_modules/better-sqlite3/lib/{index,binding,database,sqlite-error,util}.js',
    'node_modules/better-sqlite3/lib/methods/*.js',
    'node_modules/better-sqlite3/prebuilds/{linux,linuxmusl}-{x64,arm64}.node',
    'node_modules/swagger-ui-dist/{LICENSE,NOTICE,package.json}',
    'node_modules/swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt',
  ].flatMap(expand);
  expect(paths.filter((path) => !patterns.some((pattern) => matchesGlob(path, pattern)))).toEqual([]);
  expect(patterns.filter((pattern) => !paths.some((path) => matchesGlob(path, pattern)))).toEqual([]);
});

it('has the license and the origin of each package with code in the page', () => {
  for (const name of ['react', 'react-dom', 'scheduler']) {
    expect(read('THIRD_PARTY_LICENSES.txt')).toMatch(new RegExp(`\\n${name}@[\\d.]+, license MIT\\n`));
    expect(read('sbom.cdx.json')).toMatch(new RegExp(`"pkg:npm/${name}@[\\d.]+"`));
  }
  expect(read('THIRD_PARTY_LICENSES.txt')).toMatch(
    /\n@fontsource-variable\/figtree@[\d.]+, license OFL-1.1\n/,
  );
});

it('has the same bytes, modes and times each time it is written', async () => {
  const again = await writeRelease({ parent: temporaryFolder(), commit, time });
  const describe = (of: string) =>
    listPaths(of).map((path) => {
      const status = statSync(join(of, path));
      const content = status.isDirectory() ? '' : hash('sha1', readFileSync(join(of, path)));
      return { path, content, mode: status.mode % 0o1000, time: status.mtimeMs };
    });
  const described = describe(folder);
  expect(describe(again.folder)).toEqual(described);
  expect(new Set(described.map((each) => each.time))).toEqual(new Set([time.getTime()]));
  // Some umasks would leave a file unreadable for the user that runs it.
  expect(new Set(described.map(({ mode }) => mode))).toEqual(new Set([0o644, 0o755]));
});

it('is smaller than 15 MiB, and as large as the page on deployment says, to a megabyte, also as an archive', () => {
  expect(bytes).toBeLessThan(15 * 2 ** 20);
  const [, ...said] =
    /\((\d+) MB, (\d+) MB packed,/.exec(readFileSync(join(root, 'docs/operate/deploy.md'), 'utf8')) ?? [];
  const archive = execFileSync('tar', ['-cz', '-C', folder, '.'], { maxBuffer: 2 ** 26 });
  const megabytes = [bytes, archive.length].map((size) => size / 1e6);
  const differences = megabytes.map((size, index) => Math.abs(size - Number(said[index])));
  expect([megabytes, differences.every((difference) => difference < 1)]).toEqual([megabytes, true]);
});

it('names its version, commit and command', () => {
  expect(JSON.parse(read('package.json'))).toMatchObject({
    name: 'plant-store',
    version,
    commit,
    type: 'module',
    bin: { 'plant-store': './dist/main.js' },
    engines,
  });
  expect(folder).toMatch(new RegExp(`/plant-store-${version}$`));
  expect(statSync(join(folder, 'dist/main.js')).mode % 0o1000).toBe(0o755);
});

it('runs by a link to its command, as it may be put into /usr/local/bin', () => {
  const link = join(temporaryFolder(), 'plant-store');
  symlinkSync(join(folder, 'dist/main.js'), link);
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
  expect(execFileSync(link, ['--version'], { env: { PATH }, encoding: 'utf8' })).toBe(`${version}\n`);
});

it('has no link to a file that is not in it', () => {
  const links = paths
    .filter((path) => path.endsWith('.md'))
    .flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g)].map(([, target = '']) =>
        join(dirname(page), target),
      ),
    );
  expect(links.filter((target) => !existsSync(join(folder, target)))).toEqual([]);
  expect(links).toContain('deploy/load-balancing/nginx.conf');
  expect(read('docs/operate/settings.md')).toContain('see decision 10.');
  // The pictures of a page are left out as a whole.
  expect(readFileSync(join(root, 'docs/use/page.md'), 'utf8')).toContain('](images/');
  expect(read('docs/use/page.md')).not.toMatch(/^!/m);
});
