import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { readAnchors, root } from '../support/read-markdown.js';
import type {} from '../support/release/global-setup.js';

const { folder } = inject('release');
const read = (path: string) => readFileSync(path, 'utf8');

it('has each page that a message of the service names', () => {
  const sources = globSync('apps/api/src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] });
  const named = sources.flatMap((path) =>
    [...read(join(root, path)).matchAll(/docsPath\('([^']+)'\)/g)].map(([, page = '']) => page),
  );
  expect(new Set(named).size).toBeGreaterThan(5);
  expect(named.filter((page) => !existsSync(join(folder, page)))).toEqual([]);
  const others = sources.flatMap((path) =>
    read(join(root, path))
      .split('\n')
      .filter(
        (line) => /docs\/(use|operate)\/[\w-]+\.md/.test(line) && !/docsPath\(|^\s*(\*|\/[/*])/.test(line),
      ),
  );
  expect(others).toEqual([]);
});

it('has each page, and each section, that its configurations name, where it is installed', () => {
  const cited = globSync('deploy/**/*', { cwd: folder })
    .filter((path) => statSync(join(folder, path)).isFile() && !path.endsWith('.md'))
    .flatMap((path) =>
      [...read(join(folder, path)).matchAll(/(\S*\/)?docs\/[\w/-]+\.md(#[\w-]+)?/g)].map(([page]) => page),
    );
  expect(cited.length).toBeGreaterThan(20);
  for (const page of cited) {
    expect(page).toMatch(/^(Documentation=file:\/\/)?\/opt\/plant-store\/docs\//);
    const [path = '', anchor] = page.replace(/^.*\/opt\/plant-store\//, '').split('#');
    expect([page, existsSync(join(folder, path))]).toEqual([page, true]);
    if (anchor !== undefined) expect(readAnchors(path)).toContain(anchor);
  }
});
