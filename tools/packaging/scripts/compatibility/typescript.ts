import { cpSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Table } from '../support/documented-table.js';
import { createProject, installTools } from '../support/install.js';
import { compilers, findTypeErrors, minorOf, packageOf, resolutions } from './compilers.js';

const typesOfWorkers = '5.20261117.1';

/** What a project declares of the runtime that it is for. */
const runtimes = [
  { title: '`es2020`, `dom`', lib: ['es2020', 'dom'], types: [] },
  { title: '`es2022`, @types/node', lib: ['es2022'], types: ['node'] },
  { title: '`es2022`, `webworker`', lib: ['es2022', 'webworker'], types: [] },
  { title: '`es2022`, workers-types', lib: ['es2022'], types: ['@cloudflare/workers-types'] },
];

/**
 * Compiles programs that use the packed client with each version of TypeScript, for each runtime and module resolution,
 * under `strict` and with `skipLibCheck` off. With `ends` only with the oldest and the newest version.
 */
export function tryTypeScript(folder: string, client: string, { ends }: { ends: boolean }): Table {
  const all = compilers.flatMap(({ versions }) => versions);
  const rows = compilers.flatMap(({ typesOfNode, versions }) => {
    const tried = versions.filter((version) => !ends || version === all[0] || version === all.at(-1));
    const project = createProject(folder, `typescript-project-${typesOfNode}`);
    installTools(
      project,
      client,
      `@types/node@${typesOfNode}`,
      `@cloudflare/workers-types@${typesOfWorkers}`,
      ...tried.map(packageOf),
    );
    return tried.map((version) => {
      const cells = runtimes.map((runtime) => tryRuntime(project, version, runtime));
      console.log(`compatibility: TypeScript ${version}: ${cells.join('; ')}`);
      return [minorOf(version), ...cells];
    });
  });
  return { head: ['TypeScript', ...runtimes.map(({ title }) => title)], rows };
}

/** Returns the module resolutions with which the programs compile. */
function tryRuntime(
  project: string,
  version: string,
  { title, lib, types }: (typeof runtimes)[number],
): string {
  const compiled = Object.entries(resolutions).filter(([moduleResolution, module]) => {
    const name = `${version}-${title.replaceAll(/\W+/g, '-')}-${moduleResolution}`;
    return compile(join(project, name), version, { lib, types, module, moduleResolution });
  });
  return compiled.map(([moduleResolution]) => `\`${moduleResolution}\``).join(', ') || 'no';
}

/** Whether the programs in `consumer/` that use the client compile with these options; prints the errors if not. */
function compile(target: string, version: string, options: object): boolean {
  mkdirSync(target);
  for (const program of ['client.ts', 'testing.ts', 'unwrap.ts', 'tanstack-query.ts']) {
    cpSync(resolve(import.meta.dirname, '../../consumer', program), join(target, program));
  }
  const errors = findTypeErrors(target, version, { ...options, skipLibCheck: false });
  if (errors !== undefined) console.error(errors);
  return errors === undefined;
}
