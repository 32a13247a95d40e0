// Lints the OpenAPI document of the packed contract with Spectral's rules for OpenAPI.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProject, installTools } from './support/install.js';
import { withPackedPackages } from './support/pack.js';
import { run } from './support/run.js';

/** Installed here rather than in the workspace, which it would make a tenth larger. */
const spectral = '@stoplight/spectral-cli@6.16.3';

await withPackedPackages(({ folder, tarballs }) => {
  const project = createProject(folder, 'spectral-project');
  installTools(project, spectral);
  run(project, 'tar', '-xzf', tarballs.contract, 'package/openapi.json');
  writeFileSync(join(project, 'rules.yaml'), 'extends: ["spectral:oas"]\n');
  const options = ['--ruleset', 'rules.yaml', '--fail-severity', 'hint', 'package/openapi.json'];
  console.log(run(project, 'node_modules/.bin/spectral', 'lint', ...options));
});
