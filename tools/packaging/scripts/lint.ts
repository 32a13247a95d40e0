import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProject, install, type Packed, root, run } from './support.js';

/** Declares what the pages' code blocks share. */
const context = `
declare global {
  const client: import('@plant-store/client').Client;
}
export {};
`;

const eslintConfig = `
import tseslint from 'typescript-eslint';
export default tseslint.config(tseslint.configs.strictTypeChecked, {
  languageOptions: { parserOptions: { projectService: true } },
});
`;

/** Lints the code on the client's pages with the strictest rules of typescript-eslint, which also report type errors. */
export function lintPages({ folder, client }: Packed): void {
  const project = createProject(folder, 'linted');
  // typescript-eslint needs the JavaScript API of the compiler, which TypeScript 7 does not have.
  install(project, client, 'typescript@5.9.3', 'eslint@10.15.0', 'typescript-eslint@8.74.0');
  const blocks = ['packages/client/README.md', 'packages/client/docs/recipes.md'].flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    return [...text.matchAll(/^```ts\n(.*?)^```$/gms)];
  });
  if (blocks.length < 7) throw new Error(`The pages have ${blocks.length} blocks of code`);
  // `export {}` makes each block a module.
  for (const [index, [, block]] of blocks.entries()) {
    writeFileSync(join(project, `block-${index}.ts`), `${block}export {};\n`);
  }
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    strict: true,
    types: [],
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  writeFileSync(join(project, 'context.d.ts'), context);
  writeFileSync(join(project, 'eslint.config.js'), eslintConfig);
  run(project, 'node_modules/.bin/eslint', '--max-warnings=0', 'block-*.ts');
}
