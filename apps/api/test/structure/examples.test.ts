import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readPage, root } from '../support/read-markdown.js';

const manifests = globSync('examples/{package.json,*/package.json}', { cwd: root });

/** The dependencies of all examples, each as `[manifest, name, version]`. */
const dependencies = manifests.flatMap((manifest) => {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(root, manifest), 'utf8'));
  return Object.entries<string>({ ...dependencies, ...devDependencies }).map(
    ([name, version]) => [manifest, name, version] as const,
  );
});

it('every example pins its dependencies exactly, and those of the catalog to the same version', () => {
  const { catalog } = parse(readPage('pnpm-workspace.yaml'));
  const others = dependencies.filter(([, name]) => !name.startsWith('@plant-store/'));
  expect(others.length).toBeGreaterThan(10);
  expect(others.filter(([, , version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  expect(others.filter(([, name, version]) => version !== (catalog[name] ?? version))).toEqual([]);
});

it('every example uses the packages of this repository', () => {
  const own = dependencies.filter(([, name]) => name.startsWith('@plant-store/'));
  expect(own.length).toBeGreaterThan(5);
  expect(own.filter(([, , version]) => !/^file:(\.\.\/)+packages\/\w+$/.test(version))).toEqual([]);
});

it('every example is listed, and has a README that shows its command in three lines', () => {
  const folders = globSync('examples/*/README.md', { cwd: root });
  expect(folders.length).toBeGreaterThan(8);
  const list = readPage('examples/README.md');
  expect(folders.filter((page) => !list.includes(`(${page.slice('examples/'.length)})`))).toEqual([]);
  const wrong = folders.filter((page) => !/^# .+\n\n.+\n\nRun: `.+`\n\n.+\n$/.test(readPage(page)));
  expect(wrong).toEqual([]);
});

it('the examples run on the Node.js of the repository', () => {
  const { nodeVersion } = parse(readPage('examples/pnpm-workspace.yaml'));
  expect(nodeVersion).toBe(parse(readPage('pnpm-workspace.yaml')).nodeVersion);
});
