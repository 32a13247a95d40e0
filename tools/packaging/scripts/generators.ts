// Runs generators on the OpenAPI document of the packed contract, compiles what they generate, and makes the generated call
// against the built service. Compares what becomes of an id with the table in docs/use/openapi.md, or writes it (--write).
import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { generators } from './generators/cases.js';
import { tryGenerator } from './generators/try-generator.js';
import { checkTables } from './support/documented-table.js';
import { createProject, installTools } from './support/install.js';
import { withPackedPackages } from './support/pack.js';
import { run } from './support/run.js';

/** openapi-typescript and others need the JavaScript API of the compiler, which TypeScript 7 does not have. */
const compiler = ['typescript@5.9.3', '@types/node@26.6.6'];

await withPackedPackages(async ({ folder, tarballs }) => {
  const project = createProject(folder, 'generators-project');
  const packages = generators.flatMap(({ packages }) => packages);
  installTools(project, tarballs.contract, ...compiler, ...packages);
  run(project, 'tar', '-xzf', tarballs.contract, 'package/openapi.json');

  const rows: string[][] = [];
  for (const generator of generators) {
    const target = join(project, generator.name);
    const programs = resolve(import.meta.dirname, '../generators');
    cpSync(join(programs, generator.name), target, { recursive: true });
    for (const file of ['report-call.ts', 'exact-bigint.ts'])
      cpSync(join(programs, file), join(target, file));
    cpSync(join(project, 'package/openapi.json'), join(target, 'openapi.json'));
    rows.push(...(await tryGenerator(generator, target)));
    console.log(`generators: ${generator.name}: generated, compiled, called`);
  }
  const head = ['generator', 'setting', '`id`', '9223372036854775807', '9007199254740993'];
  checkTables('docs/use/openapi.md', [{ head, rows }]);
});
