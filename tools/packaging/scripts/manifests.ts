import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createProject, install, type Packed, run } from './support.js';

/** Checks the manifests of the packed packages with publint and Are The Types Wrong. */
export function checkManifests({ folder, client, contract }: Packed): void {
  const commands = resolve(import.meta.dirname, '../node_modules/.bin');
  for (const tarball of [client, contract]) {
    run(folder, `${commands}/publint`, tarball, '--strict');
    run(folder, `${commands}/attw`, tarball, '--profile', 'esm-only', '--no-emoji', '--no-color');
  }
}

/** Lints the OpenAPI document of the packed contract with Spectral's rules for OpenAPI. */
export function checkOpenApi({ folder, contract }: Packed): void {
  const project = createProject(folder, 'spectral-project');
  // Installed here rather than in the workspace, which it would make a tenth larger.
  install(project, '@stoplight/spectral-cli@6.16.3');
  run(project, 'tar', '-xzf', contract, 'package/openapi.json');
  // The rule that is off takes the roles of any scheme for scopes of OAuth, and knows only those of OpenAPI 3.0.
  const rules = { extends: ['spectral:oas'], rules: { 'oas3-operation-security-defined': 'off' } };
  writeFileSync(join(project, 'rules.json'), JSON.stringify(rules));
  const options = ['--ruleset', 'rules.json', '--fail-severity', 'hint', 'package/openapi.json'];
  run(project, 'node_modules/.bin/spectral', 'lint', ...options);
}
