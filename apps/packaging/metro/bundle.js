// Bundles program.js as an app of React Native is, and runs the bundle. Run in a project that has Metro and the client.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
// biome-ignore lint/correctness/noUndeclaredDependencies: the project that this is copied to has it
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
if (status !== 200 || !isNamed) throw new Error(`The bundle ran otherwise: ${status}, ${isNamed}`);
process.exit();
