import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build, type Metafile, type Plugin } from 'esbuild';

/** Packs Prisma's query compilers, of which each engine has one, 1.6 MB each: loaded with the first query that Prisma composes. */
const compressWasm: Plugin = {
  name: 'compress-wasm',
  setup({ onLoad }) {
    onLoad({ filter: /\.wasm-base64\.m?js$/ }, async ({ path }) => {
      const { wasm } = (await import(path)) as { wasm: string };
      const options = { params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS } };
      const packed = brotliCompressSync(Buffer.from(wasm, 'base64'), options).toString('base64');
      return {
        contents: `import { brotliDecompressSync } from 'node:zlib';
          export const wasm = brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString('base64');`,
      };
    });
  },
};

/** Leaves out what Express exports, and the service has its own of: with its tables of encodings it is 0.6 MB. */
const withoutBodyParser: Plugin = {
  name: 'without-body-parser',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^body-parser$/ }, ({ path }) => ({ path, namespace: 'without' }));
    onLoad({ filter: /.*/, namespace: 'without' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/**
 * Bundles the command with its dependencies, so that a start reads a dozen files instead of hundreds. Modules loaded with
 * `import()` get separate files, read only when needed. All files lie side by side, which code that locates others relative
 * to itself, such as `src/package-folder.ts`, relies on.
 *
 * @param outdir the folder to write to, whose content is removed before
 * @returns what esbuild put into which file
 */
export async function bundle(
  outdir: string,
  { sourcemap }: { readonly sourcemap: boolean },
): Promise<Metafile> {
  rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    entryPoints: [
      'src/main.ts',
      // Loaded by path, in threads and processes of their own.
      'src/store/sqlite/checkpoint-worker.js',
      'src/store/sqlite/list-worker.js',
      'src/store/sqlite/copy-process.js',
    ],
    outdir,
    entryNames: '[name]',
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node22.14',
    format: 'esm',
    // CommonJS packages call require for modules of Node.js.
    banner: {
      js: `import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);`,
    },
    // It looks for its native code relative to itself.
    external: ['better-sqlite3'],
    plugins: [compressWasm, withoutBodyParser],
    sourcemap,
    // THIRD_PARTY_LICENSES.txt has all of them.
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}
