// Measures what a browser loads for one call: bundled by esbuild from the built packages, minified, gzipped.
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { formatTable } from '@plant-store/report';
import { build } from 'esbuild';
import { programs } from './support/program-names.js';

/** With the routes of all operations, each of which adds about 25 bytes. */
const limitBytes = 3_300;
/** Without `unwrap`, which several entries share. */
const entryLimitBytes = 1_250;
const entries = ['plant-store-list', 'plant-store-bulk', 'plant-store-msw'];
/** Without the table of errors and the other entries, which only programs that import them load. */
const limited = ['plant-store', 'plant-store-whole'];

const bundles = await Promise.all(Object.entries(programs).map(([program, name]) => bundle(program, name)));
console.log(
  formatTable(
    ['one call with', 'minified, bytes', 'and gzipped'],
    bundles.map(({ name, code }) => [name, code.length, gzipSync(code).length]),
  ),
);

for (const { program, name, code, inputs } of bundles.filter(({ program }) =>
  program.startsWith('plant-store'),
)) {
  const schemas = inputs.filter((input) =>
    /(node_modules\/(zod|@ts-rest)|client\/dist\/testing)\//.test(input),
  );
  if (schemas.length > 0) throw new Error(`${name}: includes ${schemas.join(', ')}`);
  if (limited.includes(program) && gzipSync(code).length > limitBytes) {
    throw new Error(`${name}: larger than ${limitBytes} bytes`);
  }
  if (entries.includes(program) && gzipSync(code).length > entryLimitBytes) {
    throw new Error(`${name}: larger than ${entryLimitBytes} bytes`);
  }
}
const exported = Object.keys(await import('@plant-store/client')).filter((name) => name !== 'errors');
const whole = Object.keys(await import('../programs/plant-store-whole.js'));
if (`${whole.sort()}` !== `${exported.sort()}`)
  throw new Error(`plant-store-whole exports ${whole}, not ${exported}`);

async function bundle(program: string, name: string) {
  const { outputFiles, metafile } = await build({
    entryPoints: [resolve(import.meta.dirname, `../programs/${program}.ts`)],
    bundle: true,
    external: ['msw', ...(entries.includes(program) ? ['./unwrap.js'] : [])],
    minify: true,
    format: 'esm',
    platform: 'browser',
    metafile: true,
    write: false,
  });
  const code = Buffer.concat(outputFiles.map(({ contents }) => contents));
  return { program, name, code, inputs: Object.keys(metafile.inputs) };
}
