import { globSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import {
  exists,
  listPages,
  readAnchors,
  readLinks,
  readPage,
  readPaths,
  root,
} from '../support/read-markdown.js';

const pages = listPages();
const source = 'apps/api/src';

it('finds pages, links and anchors', () => {
  expect(pages).toContain('docs/architecture.md');
  expect(pages.flatMap(readLinks).length).toBeGreaterThan(50);
  expect(readAnchors('docs/use/api.md')).toContain('which-error-is-reported');
});

it('every relative link leads to a file, and its anchor to a heading', () => {
  const broken = pages.flatMap((page) =>
    readLinks(page).filter(({ target }) => !/^[a-z]+:/.test(target) && !leadsSomewhere(page, target)),
  );
  expect(broken).toEqual([]);
});

it('every page below docs/ has at most 1,500 words, but for those that are looked up line by line', () => {
  const lists = ['docs/operate/observability.md', 'docs/operate/settings.md', 'docs/use/api.md'];
  const long = pages.filter(
    (page) => page.startsWith('docs/') && !lists.includes(page) && readPage(page).split(/\s+/).length > 1_500,
  );
  expect(long).toEqual([]);
});

it('every page below docs/ is shorter than 200 lines', () => {
  const long = pages.filter((page) => page.startsWith('docs/') && readPage(page).split('\n').length > 200);
  expect(long).toEqual([]);
});

it('what the package of the client ships links only to what it ships, but for a list of pages of the repository', () => {
  const folder = 'packages/client';
  const { files } = readJson(join(folder, 'package.json'));
  expect(files).toEqual(expect.arrayContaining(['docs']));
  const shipped = pages.filter((page) => page.startsWith(`${folder}/docs/`));
  expect(shipped.length).toBeGreaterThan(3);
  const readme = readPage(join(folder, 'README.md')).split('\n');
  const listAt = readme.indexOf('## In the repository');
  const isListed = (place: string) => {
    const [page, line] = place.split(':');
    return page === join(folder, 'README.md') && listAt > 0 && Number(line) > listAt;
  };
  const leavesPackage = [join(folder, 'README.md'), ...shipped]
    .flatMap((page) => readLinks(page).map((link) => ({ ...link, page })))
    .filter(({ target }) => !/^[a-z]+:|^#/.test(target))
    .filter(({ page, target }) => !join(dirname(page), target).startsWith(`${folder}/`))
    .filter(({ place }) => !isListed(place));
  expect(leavesPackage).toEqual([]);
  const linked = readLinks(join(folder, 'README.md')).map(({ target }) =>
    join(folder, target.replace(/#.*/, '')),
  );
  expect(shipped.filter((page) => !linked.includes(page))).toEqual([]);
});

it('the README of the client is read in a minute: at most 150 lines', () => {
  expect(readPage('packages/client/README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

it('the list of decisions has every decision', () => {
  const decisions = pages.filter((page) => /^docs\/decisions\/\d/.test(page)).map((page) => basename(page));
  const listed = readLinks('docs/decisions/README.md').map(({ target }) => target);
  expect(decisions.length).toBeGreaterThan(10);
  expect(listed).toEqual(expect.arrayContaining(decisions));
});

it('the changelog begins with the version that every package has, and the page on upgrading has a section for it', () => {
  const [latest, previous] = [...readPage('CHANGELOG.md').matchAll(/^## (\d.+)$/gm)].map(([, name]) => name);
  const manifests = globSync('{.,{apps,packages,tools}/*}/package.json', { cwd: root });
  expect(manifests.length).toBeGreaterThan(5);
  const versions = manifests.map((manifest): [string, unknown] => [manifest, readJson(manifest).version]);
  expect(versions.filter(([, version]) => version !== latest)).toEqual([]);
  const [from, to] = [previous, latest].map((name) => name?.replace(/\.\d+$/, ''));
  expect(readPage('docs/operate/upgrading.md')).toContain(`\n## From ${from} to ${to}\n`);
});

it('every page names the tarballs of the version that every package has', () => {
  const { version } = readJson('package.json');
  const named = pages.flatMap((page) =>
    [...readPage(page).matchAll(/plant-store-(?:client-)?(\d+\.\d+\.\d+)\.tgz/g)].map(([name, found]) => ({
      page,
      name,
      found,
    })),
  );
  expect(named.map(({ page }) => page)).toEqual(
    expect.arrayContaining(['README.md', 'packages/client/README.md', 'docs/operate/deploy.md']),
  );
  expect(named.filter(({ found }) => found !== version)).toEqual([]);
});

it('every page names only files and folders that exist', () => {
  const workspaces = ['apps/api', 'apps/web', 'packages/contract', 'packages/client'];
  const folders = ['', ...workspaces, ...workspaces.map((workspace) => join(workspace, 'src'))];
  const missing = pages.flatMap((page) =>
    readPaths(page)
      // Those of a build, and of a service that runs, are not there.
      .filter((path) => path.includes('/') && !/^data\/|dist\//.test(path))
      .filter((path) => ![...folders, dirname(page)].some((folder) => exists(join(folder, path))))
      .map((path) => `${page}: ${path}`),
  );
  expect(missing).toEqual([]);
});

it('every comment and message names only files of the repository that exist', () => {
  const sources = globSync(
    [
      '{apps,packages,tools}/*/{scripts,src,test}/**/*.{ts,tsx}',
      '{.ci,.github,deploy}/**/*',
      '*.{json,yaml}',
    ],
    { cwd: root, exclude: (path) => /\/(?:node_modules|generated)$/.test(path) },
  ).filter((path) => statSync(join(root, path)).isFile());
  expect(sources.length).toBeGreaterThan(500);
  const path = /(?<![\w/.@-])(?:apps|packages|tools|docs|deploy|examples|patches)\/[\w@./-]+\.[a-z]{2,4}\b/g;
  const missing = sources.flatMap((source) =>
    [...new Set(readPage(source).match(path))]
      .filter((path) => !path.includes('dist/') && !exists(path))
      .map((path) => `${source}: ${path}`),
  );
  expect(missing).toEqual([]);
});

it('every page runs scripts of .ci by the Node.js of the repository, since an older one does not read TypeScript', () => {
  const commands = pages.flatMap((page) => readPage(page).match(/.{0,10}\bnode \.ci\//g) ?? []);
  expect(commands.length).toBeGreaterThan(0);
  expect(commands.filter((command) => !command.endsWith('pnpm exec node .ci/'))).toEqual([]);
});

it('the page on the architecture names only files and folders that exist', () => {
  const missing = readPaths('docs/architecture.md').filter(
    (path) => !exists(path) && !exists(join(source, path)),
  );
  expect(missing).toEqual([]);
});

it('the page on the architecture has every folder of the service', () => {
  const folders = readdirSync(join(root, source), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${name}/`);
  expect(readPaths('docs/architecture.md')).toEqual(expect.arrayContaining(folders));
});

it('the page on the architecture names every file that the app is made of', () => {
  const app = readPage(join(source, 'http/create-app.ts'));
  const parts = [...app.matchAll(/from '\.\/((?:middleware\/|routes\/)?[\w-]+)\.js'/g)].map(
    ([, part]) => `http/${part}.ts`,
  );
  expect(parts.length).toBeGreaterThan(10);
  const named = readPaths('docs/architecture.md');
  expect(parts.filter((part) => !named.includes(part))).toEqual([]);
});

function readJson(path: string): { readonly version?: string; readonly files?: readonly string[] } {
  return JSON.parse(readPage(path));
}

function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', anchor] = decodeURIComponent(target).split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (!exists(file)) return false;
  return anchor === undefined || readAnchors(file).includes(anchor);
}
