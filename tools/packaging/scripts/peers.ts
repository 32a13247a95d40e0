// Compiles and runs programs that use the packed client's entries together with the libraries that these are for.
import { cpSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pinnedCompiler } from './support/consumer-project.js';
import { createProject, installIsolated, installTools } from './support/install.js';
import { withPackedPackages } from './support/pack.js';
import { run } from './support/run.js';

/** By the program in `peers/` and what it is tried with; installed here, since the workspace has one version of each. */
const trials: readonly (readonly [program: string, ...packages: string[]])[] = [
  ['msw', 'msw@2.10.0'],
  ['msw', 'msw@3.0.5'],
  [
    'tanstack-query',
    '@tanstack/query-core@5.108.0',
    '@tanstack/react-query@5.108.0',
    '@types/react@19.3.0',
    'react@19.3.1',
    '@tanstack/vue-query@5.104.0',
    'vue@3.5.45',
    '@tanstack/solid-query@5.104.0',
    'solid-js@1.9.19',
    '@tanstack/svelte-query@6.3.6',
    'svelte@5.57.3',
  ],
];

const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  // The types of some of the libraries do not compile without it.
  skipLibCheck: true,
  noEmitOnError: true,
};

await withPackedPackages(({ folder, tarballs }) => {
  for (const [index, [program, ...packages]] of trials.entries()) {
    const project = createProject(folder, `${program}-${index}`);
    cpSync(resolve(import.meta.dirname, `../peers/${program}.ts`), join(project, 'program.ts'));
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    installTools(project, tarballs.client, ...pinnedCompiler, ...packages);
    run(project, 'node_modules/.bin/tsc');
    run(project, process.execPath, 'program.js');
    console.log(`peers: ${program} with ${packages.join(', ')}: compiled and ran`);
  }
  const isolated = createProject(folder, 'isolated');
  cpSync(resolve(import.meta.dirname, '../peers/react-query.ts'), join(isolated, 'program.ts'));
  const options = { ...compilerOptions, skipLibCheck: false, declaration: true };
  writeFileSync(
    join(isolated, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['program.ts'] }),
  );
  const packages = ['@tanstack/react-query@5.108.0', 'react@19.3.1', '@types/react@19.3.0'];
  installIsolated(isolated, tarballs.client, ...pinnedCompiler, ...packages);
  run(isolated, 'node_modules/.bin/tsc');
  console.log('peers: react-query, each package with its own dependencies only: compiled');
});
