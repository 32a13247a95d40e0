import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compile } from './compile.js';

const folder = join(import.meta.dirname, '..');

/** What the code of pages takes from the program around it. */
const context = `
declare global {
  const client: ReturnType<typeof import('@plant-store/client').createClient>;
  const plantStore: import('@plant-store/client/tanstack-query').TanstackQueryUtils;
  const id: bigint | undefined;
  const error: unknown;
  function chooseAnotherId(message?: string): void;
  function report(message: string): void;
  function beforeAll(run: () => void): void;
  const beforeEach: typeof beforeAll;
  const afterEach: typeof beforeAll;
  const afterAll: typeof beforeAll;
}
export {};
`;

/** A package that no test here installs, by what it takes (https://tanstack.com/query/v5/docs/framework/react/plugins/createSyncStoragePersister). */
const persister = `
declare module '@tanstack/query-sync-storage-persister' {
  export function createSyncStoragePersister(options: {
    readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
    readonly serialize: (client: object) => string;
    readonly deserialize: (text: string) => object;
  }): object;
}
`;

/** The name that a block begins with, if it is a module. */
const nameOf = (block: string) => /^\/\/ ([\w.-]+\.tsx?)\n/.exec(block)?.[1];

/** The program of a block: itself if it exports, otherwise its imports, and the rest in a function, which may return. */
function toProgram(block: string): string {
  if (nameOf(block) !== undefined) return block;
  const lines = block.split('\n');
  const isImport = (line: string) => line.startsWith('import ');
  const rest = lines.filter((line) => !isImport(line));
  return [...lines.filter(isImport), 'export const run = async () => {', ...rest, '};', ''].join('\n');
}

/** The code of a page, or the examples of the docstrings of a module, as programs by their names. */
function readPrograms(file: string): (readonly [name: string, program: string])[] {
  const text = readFileSync(join(folder, file), 'utf8');
  const blocks = file.endsWith('.md')
    ? text.matchAll(/^```(tsx?)\n(.*?)^```$/gms)
    : text.matchAll(/^ *\* @(example)\n(.*?)^ *\*\/$/gms);
  return Array.from(blocks, ([, kind, code = ''], index) => {
    const block = kind === 'example' ? code.replaceAll(/^ *\* ?/gm, '') : code;
    const extension = kind === 'tsx' ? 'tsx' : 'ts';
    return [
      nameOf(block) ?? `${file.replaceAll(/[./]+/g, '-')}-${index}.${extension}`,
      toProgram(block),
    ] as const;
  });
}

// Only a test that hangs takes this long: it runs the compiler.
it('compiles the code that the pages and the docstrings of the packages show', { timeout: 300_000 }, () => {
  const sources = ['README.md', 'docs/*.md', 'src/**/*.ts', '../contract/README.md'];
  const blocks = globSync(sources, { cwd: folder }).flatMap(readPrograms);
  expect(blocks.length).toBeGreaterThan(35);
  const files = { 'context.d.ts': context, 'persister.d.ts': persister, ...Object.fromEntries(blocks) };
  compile(files, {
    lib: ['es2024', 'dom', 'dom.iterable'],
    jsx: 'react-jsx',
    skipLibCheck: true,
    noUnusedLocals: false,
  });
});
