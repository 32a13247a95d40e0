import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Table } from '../support/documented-table.js';
import { createProject, installTools } from '../support/install.js';
import { run } from '../support/run.js';

const versions = ['5.4.5', '5.5.4', '5.6.3', '5.7.3', '5.8.3', '5.9.3', '6.0.3', '7.0.2'];
/** The versions of TypeScript that the newest types of Node.js are too new for take those of the oldest supported Node.js. */
const typesOfNode = { newest: '26.6.6', oldest: '22.14.1', tooNewFor: ['5.4.5', '5.5.4'] };
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
 * under `strict` and with `skipLibCheck` off. With `ends` only with the oldest and the newest.
 */
export function tryTypeScript(folder: string, client: string, { ends }: { ends: boolean }): Table {
  const tried = versions.filter((_, index) => !ends || index === 0 || index === versions.length - 1);
  const project = createProject(folder, 'typescript-project');
  installTools(
    project,
    client,
    `@types/node@${typesOfNode.newest}`,
    `@types/node-oldest@npm:@types/node@${typesOfNode.oldest}`,
    `@cloudflare/workers-types@${typesOfWorkers}`,
    ...tried.map((version) => `typescript-${version}@npm:typescript@${version}`),
  );
  const rows = tried.map((version) => {
    const cells = runtimes.map((runtime, index) => {
      const types = runtime.types.map((name) =>
        name === 'node' && typesOfNode.tooNewFor.includes(version) ? 'node-oldest' : name,
      );
      const compiles = Object.entries(resolutions).filter(([moduleResolution, module]) => {
        const target = join(project, `${version}-${index}-${moduleResolution}`);
        return compile(target, version, { lib: runtime.lib, types, module, moduleResolution });
      });
      return compiles.map(([moduleResolution]) => `\`${moduleResolution}\``).join(', ') || 'no';
    });
    console.log(`compatibility: TypeScript ${version}: ${cells.join('; ')}`);
    return [version.replace(/\.\d+$/, ''), ...cells];
  });
  return { head: ['TypeScript', ...runtimes.map(({ title }) => title)], rows };
}

/** Whether the programs in `consumer/` that use the client compile with these options; prints the errors if not. */
function compile(target: string, version: string, options: object): boolean {
  mkdirSync(target);
  for (const program of ['client.ts', 'testing.ts']) {
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
