import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Table } from '../support/documented-table.js';
import { createProject, installTools } from '../support/install.js';
import { run } from '../support/run.js';

/** Versions of TypeScript with the types of Node.js that they can compile: the oldest supported, or the newest. */
const compilers = [
  { typesOfNode: '22.14.1', versions: ['5.4.5', '5.5.4'] },
  { typesOfNode: '26.6.6', versions: ['5.6.3', '5.7.3', '5.8.3', '5.9.3', '6.0.3', '7.0.2'] },
];
const typesOfWorkers = '5.20261117.1';

/** What a project declares of the runtime that it is for. */
const runtimes = [
  { title: '`es2020`, `dom`', lib: ['es2020', 'dom'], types: [] },
  { title: '`es2022`, @types/node', lib: ['es2022'], types: ['node'] },
  { title: '`es2022`, `webworker`', lib: ['es2022', 'webworker'], types: [] },
  { title: '`es2022`, workers-types', lib: ['es2022'], types: ['@cloudflare/workers-types'] },
];

const resolutions = { nodenext: 'nodenext', bundler: 'esnext' };

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
      ...tried.map((version) => `typescript-${version}@npm:typescript@${version}`),
    );
    return tried.map((version) => {
      const cells = runtimes.map((runtime) => tryRuntime(project, version, runtime));
      console.log(`compatibility: TypeScript ${version}: ${cells.join('; ')}`);
      return [version.replace(/\.\d+$/, ''), ...cells];
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
  const compilerOptions = {
    ...options,
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  };
  writeFileSync(join(target, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  try {
    run(target, process.execPath, join(target, `../node_modules/typescript-${version}/bin/tsc`));
    return true;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return false;
  }
}
