import { cpSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createProject, type Packed, pinned, run } from './support.js';

const tanstackQuery = [
  ...['@tanstack/react-query@5.108.0', 'react@19.3.1', '@types/react@19.3.0'],
  ...['@tanstack/vue-query@5.104.0', 'vue@3.5.45', '@tanstack/solid-query@5.104.0', 'solid-js@1.9.19'],
  ...['@tanstack/svelte-query@6.3.6', 'svelte@5.57.3'],
];

/** The programs in `peers/`, and what each is tried with; installed here, since the workspace has one version of each. */
const trials: readonly (readonly [program: string, ...packages: string[]])[] = [
  ['msw', 'msw@2.10.0'],
  ['msw', 'msw@3.0.5'],
  ['tanstack-query', ...tanstackQuery],
];

const compilerOptions = {
  ...{ module: 'nodenext', target: 'es2023', lib: ['es2023', 'dom', 'dom.iterable'], types: ['node'] },
  ...{ strict: true, exactOptionalPropertyTypes: true, declaration: true, noEmitOnError: true },
  // The types of some of the libraries do not compile without it.
  skipLibCheck: true,
};

/**
 * Compiles programs that use the packed client's entries together with the libraries that these are for, and runs that of MSW. Each
 * package can import only its own dependencies and peer dependencies.
 */
export function checkLibraries({ folder, client }: Packed): void {
  for (const [index, [program, ...packages]] of trials.entries()) {
    const project = createProject(folder, `peer-${index}`);
    cpSync(resolve(import.meta.dirname, `../peers/${program}.ts`), join(project, 'program.ts'));
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    const options = ['--config.node-linker=isolated', '--config.hoist=false'];
    run(project, 'pnpm', 'add', ...options, client, pinned('typescript'), pinned('@types/node'), ...packages);
    run(project, 'node_modules/.bin/tsc');
    if (program === 'msw') run(project, process.execPath, 'program.js');
  }
}
