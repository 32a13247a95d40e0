import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Bundles the command with what it imports into `dist`, so that a start reads a dozen files in place of hundreds. What
 * is imported by `import()` goes into files of its own, which are read only when they are needed. All files are side by
 * side: what finds another by its own place, such as `src/package-folder.ts`, counts on it.
 */
const absWorkingDir = fileURLToPath(new URL('..', import.meta.url));

rmSync(`${absWorkingDir}/dist`, { recursive: true, force: true });
await build({
  absWorkingDir,
  entryPoints: [
    'src/main.ts',
    // Loaded by their paths, in a thread and in a process of their own.
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
  // Packages that are CommonJS require modules of Node.js.
  banner: {
    js: `import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);`,
  },
  // Native code, which it looks for beside itself.
  external: ['better-sqlite3'],
  sourcemap: true,
  logLevel: 'warning',
});
