import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from './folders.js';
import { writeRelease } from './write-release.js';

const parents = ['a', 'b'].map((name) => mkdtempSync(join(tmpdir(), `plant-store-release-${name}-`)));
afterAll(() => {
  for (const parent of parents) rmSync(parent, { recursive: true });
});

/** The same release, written twice. */
const releases: { folder: string; files: number; bytes: number }[] = [];
beforeAll(async () => {
  for (const parent of parents) {
    releases.push(await writeRelease({ parent, commit: 'a1b2c3', time: new Date('2026-01-02T03:04:05Z') }));
  }
});

/** The first of them, with the paths of its files relative to it. */
function theRelease(): { readonly folder: string; readonly paths: readonly string[] } {
  const { folder = '' } = releases[0] ?? {};
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
  return { folder, paths: paths.toSorted() };
}

function read(path: string): string {
  return readFileSync(join(theRelease().folder, path), 'utf8');
}

/** The patterns that a pattern with alternatives in braces stands for: a file of each must be there. */
function expand(pattern: string): readonly string[] {
  const [braces, alternatives] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  if (braces === undefined || alternatives === undefined) return [pattern];
  return alternatives.split(',').flatMap((alternative) => expand(pattern.replace(braces, alternative)));
}

it('has what a server needs, and no other file', () => {
  const patterns = [
    '{CHANGELOG,README}.md',
    'LICENSE',
    'THIRD_PARTY_LICENSES.txt',
    'package.json',
    'sbom.cdx.json',
    'dist/{main,checkpoint-worker,list-worker,copy-process}.js',
    'dist/*-[0-9A-Z]*.js',
    'dist/client/{plant-store-client-*.tgz,files.json}',
    'dist/page/files.json',
    'dist/page/{index.html,icon.svg}{,.br,.gz}',
    'dist/page/assets/*-????????.{css,js}{,.br,.gz}',
    'dist/docs/files.json',
    'dist/docs/openapi.json{,.br,.gz}',
    'dist/docs/{no-,}page-{no-,}client.html{,.br,.gz}',
    'dist/docs/assets/{swagger-ui,viewer}-????????.css{,.br,.gz}',
    'dist/docs/assets/swagger-ui-bundle-????????.js{.br,.gz}',
    'dist/docs/assets/viewer-????????.js{,.br,.gz}',
    'prisma/{sqlite,postgresql}/migrations/[0-9]*_*/migration.sql',
    'docs/{SECURITY,operate/*,use/*}.md',
    'deploy/**/*.*',
    'node_modules/better-sqlite3/{LICENSE,package.json}',
    'node_modules/better-sqlite3/lib/{index,binding,database,sqlite-error,util}.js',
    'node_modules/better-sqlite3/lib/methods/*.js',
    'node_modules/better-sqlite3/prebuilds/{linux,linuxmusl}-{x64,arm64}.node',
    'node_modules/swagger-ui-dist/{LICENSE,NOTICE,package.json}',
    'node_modules/swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt',
  ].flatMap(expand);
  const { paths } = theRelease();
  expect(paths.filter((path) => !patterns.some((pattern) => matchesGlob(path, pattern)))).toEqual([]);
  expect(patterns.filter((pattern) => !paths.some((path) => matchesGlob(path, pattern)))).toEqual([]);
  expect(releases[0]?.files).toBe(paths.length);
});

it('has the pages and configurations for operators, not those for contributors', () => {
  const { paths } = theRelease();
  const below = (folder: string) => paths.filter((path) => path.startsWith(`${folder}/`));
  expect(below('docs')).toEqual(globSync('docs/{SECURITY,operate/*,use/*}.md', { cwd: root }).toSorted());
  const configurations = globSync('deploy/**', { cwd: root }).filter(
    (path) => statSync(join(root, path)).isFile() && !path.startsWith('deploy/compose/'),
  );
  expect(below('deploy')).toEqual(configurations.toSorted());
});

it('has the license and the origin of each package with code in the page', () => {
  for (const name of ['react', 'react-dom', 'scheduler']) {
    expect(read('THIRD_PARTY_LICENSES.txt')).toMatch(new RegExp(`\\n${name}@[\\d.]+, license MIT\\n`));
    expect(read('sbom.cdx.json')).toMatch(new RegExp(`"pkg:npm/${name}@[\\d.]+"`));
  }
});

it('is smaller than 20 MiB', () => {
  expect(releases[0]?.bytes).toBeGreaterThan(2 ** 23);
  expect(releases[0]?.bytes).toBeLessThan(20 * 2 ** 20);
});

it('has the same bytes, modes and times each time it is written', () => {
  const [first, second] = releases.map(({ folder }) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .toSorted()
      .map((path) => {
        const stat = statSync(join(folder, path));
        const content = stat.isFile() ? readFileSync(join(folder, path), 'base64') : '';
        return [path, stat.mode, stat.mtimeMs, content] as const;
      }),
  );
  expect(second).toEqual(first);
  expect(new Set(first?.map(([, , time]) => time))).toEqual(new Set([Date.parse('2026-01-02T03:04:05Z')]));
  // Some umasks would leave a file unreadable for the user that runs it.
  expect(new Set(first?.map(([, mode]) => mode % 0o1000))).toEqual(new Set([0o644, 0o755]));
});

it('has the size that the page on deployment says, to a megabyte, also as an archive', () => {
  const [, unpacked, packed] =
    /: (\d+) MB, packed (\d+),/.exec(readFileSync(join(root, 'docs/operate/deploy.md'), 'utf8')) ?? [];
  const archive = execFileSync('tar', ['-cz', '-C', theRelease().folder, '.'], { maxBuffer: 2 ** 26 });
  const megabytes = [releases[0]?.bytes ?? 0, archive.length].map((bytes) => bytes / 1e6);
  const differences = megabytes.map((size, index) => Math.abs(size - Number([unpacked, packed][index])));
  expect([megabytes, differences.every((difference) => difference < 1)]).toEqual([megabytes, true]);
});

it('names its version, commit and command', () => {
  const { version, engines } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as Record<string, unknown>;
  expect(JSON.parse(read('package.json'))).toMatchObject({
    name: 'plant-store',
    version,
    commit: 'a1b2c3',
    type: 'module',
    bin: { 'plant-store': './dist/main.js' },
    engines,
  });
  expect(theRelease().folder).toMatch(new RegExp(`/plant-store-${version}$`));
  expect(statSync(join(theRelease().folder, 'dist/main.js')).mode % 0o1000).toBe(0o755);
});

it('runs by a link to its command, as it may be put into /usr/local/bin', () => {
  const link = join(parents[0] ?? '', 'plant-store');
  symlinkSync(join(theRelease().folder, 'dist/main.js'), link);
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
  expect(execFileSync(link, ['--version'], { env: { PATH }, encoding: 'utf8' })).toBe(
    `${JSON.parse(read('package.json')).version}\n`,
  );
});

it('has no link to a file that is not in it', () => {
  const { paths, folder } = theRelease();
  const links = paths
    .filter((path) => path.endsWith('.md'))
    .flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => ({
        page,
        target,
        leadsSomewhere:
          statSync(join(folder, dirname(page), target), { throwIfNoEntry: false }) !== undefined,
      })),
    );
  expect(links.filter(({ leadsSomewhere }) => !leadsSomewhere)).toEqual([]);
  expect(links).toContainEqual({
    page: 'docs/operate/scaling.md',
    target: '../../deploy/load-balancing/nginx.conf',
    leadsSomewhere: true,
  });
  expect(read('docs/operate/settings.md')).toContain('see decision 10.');
  // The pictures of a page are left out as a whole.
  expect(readFileSync(join(root, 'docs/use/page.md'), 'utf8')).toContain('](images/');
  expect(read('docs/use/page.md')).not.toMatch(/^!/m);
});
