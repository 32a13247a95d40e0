import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

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
    sourcemap,
    // THIRD_PARTY_LICENSES.txt has all of them.
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}
