import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as client from '@plant-store/client';
import { build } from 'esbuild';
import { checkTable, formatCount } from './documented-table.js';
import { root, run } from './support.js';

const packageFolder = resolve(import.meta.dirname, '..');
const { errors: _errors, ...others } = client;
const everything = `export { ${Object.keys(others)} } from '@plant-store/client';`;

const oneCall = `
import { createClient } from '@plant-store/client';
export async function createRose(token: string): Promise<string> {
  const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token });
  const reply = await client.createPlant({ body: { id: 1, name: 'Rose' } });
  return reply.status === 200 ? reply.body.name : reply.body.message;
}`;

/** Programs, each with the maximum size of its bundle for browsers, minified and gzipped. */
const programs: readonly (readonly [title: string, limitBytes: number, program: string])[] = [
  // Includes the routes of all operations. Each route adds about 25 bytes.
  ['one call', 3_450, oneCall],
  ['one call and `unwrap`', 3_800, `${oneCall}export { unwrap } from '@plant-store/client';`],
  ['one call and `tanstack-query`', 4_950, `${oneCall}export * from '@plant-store/client/tanstack-query';`],
  ['everything but `errors`', 6_700, everything],
  ['everything', 7_200, "export * from '@plant-store/client';"],
  ['`msw` alone, without MSW and the fake', 1_250, "export * from '@plant-store/client/msw';"],
  ['`validate` alone, with zod', 39_500, "export * from '@plant-store/client/validate';"],
];

/** Bundles the programs with the built client. Checks their sizes, and that only `validate` includes schemas. */
export async function checkSize(): Promise<void> {
  const rows: string[][] = [];
  for (const [title, limitBytes, program] of programs) {
    const { outputFiles, metafile } = await build({
      stdin: { contents: program, loader: 'ts', resolveDir: packageFolder },
      external: ['msw'],
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      metafile: true,
      write: false,
    });
    const code = Buffer.concat(outputFiles.map(({ contents }) => contents));
    const bytes = gzipSync(code).length;
    rows.push([title, formatCount(code.length), formatCount(bytes)]);
    const excess = Object.keys(metafile.inputs).filter((input) =>
      /node_modules\/(zod|@ts-rest)\/|client\/dist\/(testing\/|schemas)/.test(input),
    );
    if (excess.length > 0 && !program.includes('/validate'))
      throw new Error(`${title} includes ${excess.join(', ')}`);
    if (bytes > limitBytes) throw new Error(`${title} is ${bytes} bytes, more than ${limitBytes}`);
    const claim = `one call loads ${(bytes / 1000).toFixed(1)} kB gzipped.`;
    const readme = readFileSync(join(root, 'packages/client/README.md'), 'utf8').replaceAll('\n', ' ');
    if (program === oneCall && !readme.includes(claim))
      throw new Error(`packages/client/README.md does not say: ${claim}`);
  }
  const head = ['program with', 'minified, bytes', 'and gzipped'];
  checkTable('packages/client/docs/size.md', { head, rows });
}

/** The maximum number of types that the compiler instantiates for the program with one call. */
const maxInstantiations = 300;

/** Checks how many types the compiler instantiates for one call, and compares the count with packages/client/docs/size.md. */
export function checkTypeCost(): void {
  const folder = mkdtempSync(join(packageFolder, 'node_modules/.type-cost-'));
  try {
    const compilerOptions = {
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: [],
      module: 'nodenext',
      strict: true,
      skipLibCheck: true,
      noEmit: true,
    };
    writeFileSync(join(folder, 'program.ts'), oneCall);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    const report = run(packageFolder, 'tsc', '-p', folder, '--extendedDiagnostics', '--singleThreaded');
    const instantiations = Number(/^Instantiations:\s+(\d+)/m.exec(report)?.[1]);
    const row = `| \`@plant-store/client\` | ${instantiations} |`;
    if (!readFileSync(join(root, 'packages/client/docs/size.md'), 'utf8').includes(`\n${row}\n`))
      throw new Error(`packages/client/docs/size.md does not have this row: ${row}`);
    if (!(instantiations <= maxInstantiations)) throw new Error(`${instantiations} instantiations`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
