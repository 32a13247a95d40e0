import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build, type Metafile, type Plugin } from 'esbuild';

/**
 * Packs Prisma's query compilers, of which each engine has one, 1.6 MB each: loaded with the first query that Prisma composes. They
 * become files beside the code, since in base64 they would be a third larger.
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
 * @param options.sourcemap whether it has source maps and can be read; without them, as in a release, it is smaller
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
    // Names stay, so that stack traces and the log can be read, and lines short enough to be printed with an error.
    ...(!sourcemap && { minifyWhitespace: true, lineLimit: 200 }),
    // THIRD_PARTY_LICENSES.txt has all of them.
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}
