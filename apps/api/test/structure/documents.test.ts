import { globSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { routes } from '@plant-store/contract/routes';
import { describe, expect, it } from 'vitest';
import { nameRepository, naming } from '../../../../.ci/name-repository.js';
import { createCurl } from '../../src/cli/token.js';
import { openApp } from '../support/open-app.js';
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

const readJson = (path: string) => JSON.parse(readPage(path));

const address = readJson('package.json').homepage.replace('#readme', '');

/** The path of what a link of a page leads to, with its anchor; `undefined` where that is not in the repository. */
function findTarget(page: string, target: string): string | undefined {
  const [, path] = target.split(`${address}/blob/HEAD/`);
  if (path !== undefined) return path;
  if (/^[a-z]+:/.test(target)) return undefined;
  return target.startsWith('#') ? page + target : join(dirname(page), target);
}

describe('every page', () => {
  it('links only to files of the repository that exist, and to headings of them', () => {
    const links = pages.flatMap((page) => readLinks(page).map((link) => ({ page, ...link })));
    expect(links.length).toBeGreaterThan(50);
    expect(readAnchors('docs/use/api.md')).toContain('which-error-is-reported');
    const isBroken = ({ page, target }: { page: string; target: string }) => {
      const found = findTarget(page, decodeURIComponent(target));
      if (found === undefined) return target.startsWith(address);
      const [file = '', anchor] = found.split('#');
      return !exists(file) || (anchor !== undefined && !readAnchors(file).includes(anchor));
    };
    expect(links.filter(isBroken)).toEqual([]);
  });

  it('below docs/ is shorter than 200 lines, with at most 1,500 words unless it is looked up line by line', () => {
    const isList = /^docs\/(operate\/(cli|observability|settings)|use\/api)\.md$/;
    const long = pages.filter((page) => {
      const text = readPage(page);
      const isLong = !isList.test(page) && text.split(/\s+/).length > 1_500;
      return page.startsWith('docs/') && (isLong || text.split('\n').length > 200);
    });
    expect(long).toEqual([]);
  });

  it('names the tarballs and packages of the version that every package has', () => {
    const { version } = readJson('package.json');
    const named = pages.flatMap((page) =>
      [...readPage(page).matchAll(/plant-store[_-](?:client-)?(\d+\.\d+\.\d+)(?:\.tgz|_amd64\.deb)/g)].map(
        ([, found]) => ({ page, found }),
      ),
    );
    expect(named.map(({ page }) => page)).toEqual(
      expect.arrayContaining(['README.md', 'packages/client/README.md', 'docs/operate/deploy.md']),
    );
    expect(named.filter(({ found }) => found !== version)).toEqual([]);
  });

  it('names only files and folders that exist', () => {
    const workspaces = ['apps/api', 'apps/web', 'packages/contract', 'packages/records', 'packages/client'];
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
});

it('every comment and message names only files of the repository that exist', () => {
  const sources = globSync(
    ['{apps,packages,tools}/*/{scripts,src,test}/**/*.ts{,x}', '{.ci,.github,deploy}/**/*', '*.{json,yaml}'],
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

describe.each(['packages/client', 'packages/contract'])('the package in %s', (folder) => {
  const manifest = readJson(join(folder, 'package.json'));
  const shipped = pages.filter((page) =>
    [...manifest.files, 'README.md'].some((file) => page.startsWith(join(folder, file))),
  );

  it('has pages whose relative links lead to what it ships, so that they work without the repository', () => {
    for (const name of ['CHANGELOG.md', 'README.md']) expect(shipped).toContain(join(folder, name));
    const leavesPackage = shipped.flatMap((page) =>
      readLinks(page).filter(({ target }) => {
        const file = findTarget(page, target)?.replace(/#.*/, '');
        return !target.startsWith(address) && file !== undefined && !shipped.includes(file);
      }),
    );
    expect(leavesPackage).toEqual([]);
  });

  it('names its repository, and after a release of a fork only that of the fork', () => {
    const { author, bugs, license, repository } = readJson('package.json');
    expect(manifest).toMatchObject({ author, bugs, license });
    expect(manifest.homepage).toBe(`${address}/tree/HEAD/${folder}#readme`);
    expect(manifest.repository).toEqual({ ...repository, directory: folder });
    expect(repository.url).toBe(`git+${address}.git`);
    expect(bugs).toBe(`${address}/issues`);
    const named = globSync(naming, { cwd: root });
    expect(named).toEqual(expect.arrayContaining(['package.json', join(folder, 'package.json'), ...shipped]));
    for (const file of named) {
      const other = { from: address, to: 'https://github.com/somebody/plants', tag: 'v9.0.0' };
      const text = nameRepository(readPage(file), other);
      expect(text).not.toContain(address);
      expect(text).not.toContain('/HEAD/');
    }
  });
});

describe('the package of the client', () => {
  const folder = 'packages/client';
  const readme = join(folder, 'README.md');

  it('has pages that its README links to', () => {
    const shipped = pages.filter((page) => page.startsWith(`${folder}/docs/`));
    expect(shipped.length).toBeGreaterThan(3);
    const linked = readLinks(readme).map(({ target }) => join(folder, target.replace(/#.*/, '')));
    expect(shipped.filter((page) => !linked.includes(page))).toEqual([]);
  });

  it('has a README that is read in a minute: at most 150 lines', () => {
    expect(readPage(readme).trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });
});

describe('the decisions', () => {
  const decisions = pages.filter((page) => /^docs\/decisions\/\d/.test(page));

  it('are all in their list', () => {
    const listed = readLinks('docs/decisions/README.md').map(({ target }) => target);
    expect(decisions.length).toBeGreaterThan(10);
    expect(listed).toEqual(expect.arrayContaining(decisions.map((page) => basename(page))));
  });

  it.each(decisions)('%s has its four parts, in at most 140 words', (page) => {
    const anchors = readAnchors(page);
    expect(anchors).toEqual(expect.arrayContaining(['context', 'decision', 'consequences', 'tried']));
    expect(readPage(page).trim().split(/\s+/).length).toBeLessThanOrEqual(140);
  });
});

it('the changelog begins with the version that every package has, and the page on upgrading has a section for it', () => {
  const [latest, previous] = [...readPage('CHANGELOG.md').matchAll(/^## (\d.+)$/gm)].map(([, name]) => name);
  const manifests = globSync('{.,{apps,packages,tools}/*}/package.json', { cwd: root });
  expect(manifests.length).toBeGreaterThan(5);
  expect(manifests.filter((manifest) => readJson(manifest).version !== latest)).toEqual([]);
  const [from, to] = [previous, latest].map((name) => name?.replace(/\.\d+$/, ''));
  expect(readPage('docs/operate/upgrading.md')).toContain(`\n## From ${from} to ${to}\n`);
});

describe('the page on the architecture', () => {
  const named = readPaths('docs/architecture.md');

  it('names only files and folders that exist, every folder of the service, and what the app is made of', () => {
    expect(named.filter((path) => !exists(path) && !exists(join(source, path)))).toEqual([]);
    const entries = readdirSync(join(root, source), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${name}/`);
    expect(named).toEqual(expect.arrayContaining(folders));
    const app = readPage(join(source, 'http/create-app.ts'));
    const parts = [...app.matchAll(/from '\.\/((?:middleware\/|routes\/)?[\w-]+)\.js'/g)].map(
      ([, part]) => `http/${part}.ts`,
    );
    expect(parts.length).toBeGreaterThan(10);
    expect(parts.filter((part) => !named.includes(part))).toEqual([]);
  });

  it('names each function with the file that has it', () => {
    const text = readPage('docs/architecture.md');
    const functions = [...text.matchAll(/((?:`\w+`(?:, | and )?)+) in\s+`([\w/.-]+\.ts)`/g)].flatMap(
      ([, names = '', file = '']) => [...names.matchAll(/\w+(?=`)/g)].map(([name]) => ({ name, file })),
    );
    expect(functions.length).toBeGreaterThan(15);
    const isIn = (file: string, name: string) => {
      const code = readPage(exists(file) ? file : join(source, file));
      return new RegExp(`\\b(?:function|const|async) ${name}\\b`).test(code);
    };
    expect(functions.filter(({ name, file }) => !isIn(file, name))).toEqual([]);
  });

  it('draws every operation that is mounted, and no other', async () => {
    const { app } = await openApp();
    interface Layer {
      readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
    }
    const layers = (app as unknown as { router: { stack: readonly Layer[] } }).router.stack;
    const mounted = layers.flatMap(({ route }) =>
      Object.keys(route?.methods ?? {}).map(
        (method) => `${method.toUpperCase()} ${route?.path.replaceAll(/:(\w+)/g, '{$1}')}`,
      ),
    );
    const [, drawing = ''] = readPage('docs/architecture.md').split('```', 2);
    const drawn = [...drawing.matchAll(/ auth -- "([^"]+)" -->/g)].flatMap(([, names = '']) =>
      names.split(', '),
    );
    expect(drawn.toSorted()).toEqual(mounted.toSorted());
    expect(drawn).toHaveLength(Object.keys(routes).length);
  });
});

// Within single quotes PowerShell changes nothing; `curl` is an alias of Invoke-WebRequest in Windows PowerShell 5. Programs
// read \" as a quotation mark (CommandLineToArgvW); single quotes and $(…) mean nothing to cmd.exe.
it.each([
  ['powershell', /-Body '([^']*)'$/, /curl/],
  ['bat', /-d "((?:[^"\\]|\\")*)"$/, /['$]/],
])('the command for a Windows terminal sends what the printed curl sends: %s', (language, body, unwanted) => {
  const code = new RegExp(`\\n\`\`\`${language}\\n(.*)\\n\`\`\`\\n`);
  const [, command = ''] = code.exec(readPage('docs/use/api.md')) ?? [];
  const readRequest = (text: string, body: RegExp) => ({
    url: /http:\S+/.exec(text)?.[0],
    plant: JSON.parse(body.exec(text)?.[1]?.replaceAll('\\"', '"') ?? ''),
  });
  const printed = createCurl('http://127.0.0.1:3000', '$TOKEN');
  expect(readRequest(command, body)).toEqual(readRequest(printed, /-d '(.*)'$/));
  expect(command).not.toMatch(unwanted);
});
