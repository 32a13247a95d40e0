// Bundles program.js as React Native bundles apps, and runs it. Runs in a project with Metro and the client installed.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
// biome-ignore lint/correctness/noUndeclaredDependencies: it is installed in the project that this is copied to
import Metro from 'metro';

const projectRoot = import.meta.dirname;
const config = await Metro.loadConfig(
  { cwd: projectRoot, resetCache: true },
  {
    projectRoot,
    cacheStores: [],
    transformer: {
      babelTransformerPath: createRequire(import.meta.url).resolve('@react-native/metro-babel-transformer'),
    },
  },
);
const reporter = { update() {} };
const out = join(projectRoot, 'out.js');
await Metro.runBuild({ ...config, reporter }, { entry: 'program.js', platform: 'ios', minify: false, out });

runInThisContext(readFileSync(out, 'utf8'));
const [status, isNamed] = await globalThis.created;
if (status !== 200 || !isNamed) throw new Error(`Unexpected result of the bundle: ${status}, ${isNamed}`);
process.exit();
