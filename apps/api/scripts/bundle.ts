import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Bundles the command with its dependencies into `dist`, so that a start reads a dozen files instead of hundreds.
 * Modules loaded with `import()` get separate files, read only when needed. All files lie side by side, which code that
 * locates others relative to itself, such as `src/package-folder.ts`, relies on.
 */
const absWorkingDir = fileURLToPath(new URL('..', import.meta.url));

rmSync(`${absWorkingDir}/dist`, { recursive: true, force: true });
await build({
  absWorkingDir,
  entryPoints: [
    'src/main.ts',
    // Loaded by path, in a separate thread and a separate process.
    'src/database/sqlite/checkpoints/checkpoint-worker.js',
    'src/database/sqlite/files/copy-process.js',
  ],
  outdir: 'dist',
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
  sourcemap: true,
  logLevel: 'warning',
});
