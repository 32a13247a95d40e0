import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createProject, install, type Packed, root, run } from './support.js';

/** Checks the packed packages' manifests with publint, and which files the packages contain. */
export function checkManifests({ folder, client, contract }: Packed): void {
  const publint = resolve(import.meta.dirname, '../node_modules/.bin/publint');
  for (const tarball of [client, contract]) {
    run(folder, publint, tarball, '--strict');
    checkFiles(tarball);
  }
  const notices = run(folder, 'tar', '-xzOf', client, 'package/dist/third-party-notices.txt');
  if (!notices.includes('zod\n\nMIT License')) throw new Error('The client has no license of zod');
  if (run(folder, 'tar', '-tzf', client).includes('.map\n')) throw new Error('The client has source maps');
}

/** @throws {Error} if a tarball has no license, no README, no list of changes, or a file without content */
function checkFiles(tarball: string): void {
  const read = (file: string) => run(root, 'tar', '-xzOf', tarball, `package/${file}`);
  if (read('LICENSE') !== readFileSync(join(root, 'LICENSE'), 'utf8')) throw new Error('Another license');
  for (const page of ['README.md', 'CHANGELOG.md']) read(page);
  const listed = run(root, 'tar', '-tvzf', tarball).trim().split('\n');
  const empty = listed.filter((line) => line.split(/\s+/)[2] === '0');
  if (empty.length > 0) throw new Error(`Files without content:\n${empty.join('\n')}`);
}

/** Lints the OpenAPI document of the packed contract with Spectral's rules for OpenAPI. */
export function checkOpenApi({ folder, contract }: Packed): void {
  const project = createProject(folder, 'spectral-project');
  // Not installed in the workspace, which it would make a tenth larger.
  install(project, '@stoplight/spectral-cli@6.16.3');
  run(project, 'tar', '-xzf', contract, 'package/openapi.json');
  // This rule treats the roles of every scheme as OAuth scopes, and supports only OpenAPI 3.0.
  const rules = { extends: ['spectral:oas'], rules: { 'oas3-operation-security-defined': 'off' } };
  writeFileSync(join(project, 'rules.json'), JSON.stringify(rules));
  const options = ['--ruleset', 'rules.json', '--fail-severity', 'hint', 'package/openapi.json'];
  run(project, 'node_modules/.bin/spectral', 'lint', ...options);
}
