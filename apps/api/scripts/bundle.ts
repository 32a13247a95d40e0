import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build, type Metafile, type Plugin } from 'esbuild';

/**
 * Compresses Prisma's query compilers (one for each engine, 1.6 MB each), which load with the first query that Prisma composes. They
 * become files beside the code, because base64 would make them a third larger.
 */
const compressWasm: Plugin = {
  name: 'compress-wasm',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /\.wasm-base64\.m?js$/ }, ({ path }) => ({
      contents: `import { readFileSync } from 'node:fs';
        import { brotliDecompressSync } from 'node:zlib';
        import packed from ${JSON.stringify(`${path}.br`)};
        export const wasm = brotliDecompressSync(readFileSync(new URL(packed, import.meta.url))).toString('base64');`,
    }));
    onResolve({ filter: /\.wasm-base64\.m?js\.br$/ }, ({ path }) => ({
      path: basename(path).replace(/-base64.*$/, '.br'),
      namespace: 'packed',
      pluginData: path.replace(/\.br$/, ''),
    }));
    onLoad({ filter: /.*/, namespace: 'packed' }, async ({ pluginData }) => {
      const { wasm } = (await import(pluginData)) as { wasm: string };
      const options = {
        params: {
          [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
          // The best quality takes 20 times as long, and saves 60 kB.
          [constants.BROTLI_PARAM_QUALITY]: 9,
        },
      };
      return { contents: brotliCompressSync(Buffer.from(wasm, 'base64'), options), loader: 'file' };
    });
  },
};

/** Leaves out body-parser, which Express exports and the service does not use. With its encoding tables it is 0.6 MB. */
const withoutBodyParser: Plugin = {
  name: 'without-body-parser',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^body-parser$/ }, ({ path }) => ({ path, namespace: 'without' }));
    onLoad({ filter: /.*/, namespace: 'without' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/**
 * Bundles the command with its dependencies, so that a start reads a dozen files instead of hundreds. Modules loaded with
 * `import()` get separate files, read only when needed. All files are in one folder. Code that finds other files relative to itself,
 * such as `src/package-folder.ts`, relies on that.
 *
 * @param outdir the folder to write; its previous content is removed
 * @param options.sourcemap whether to write source maps and readable code; a release has neither and is smaller
 * @returns which file contains what
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
      // Loaded by path, in separate threads and processes.
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
    // CommonJS packages call `require` for Node.js modules.
    banner: {
      js: `import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);`,
    },
    // It finds its native code relative to itself.
    external: ['better-sqlite3'],
    plugins: [compressWasm, withoutBodyParser],
    sourcemap,
    // Keeps names, so that stack traces and logs are readable, and short lines, because Node.js prints the line of an error.
    ...(!sourcemap && { minifyWhitespace: true, lineLimit: 200 }),
    // They are in THIRD_PARTY_LICENSES.txt.
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}
