// Bundles programs as React Native bundles apps, and runs program.js. Runs in a project with Metro and the client installed.
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
for (const entry of ['program.js', 'replies.js']) {
  const out = join(projectRoot, `out/${entry}`);
  await Metro.runBuild({ ...config, reporter }, { entry, platform: 'ios', minify: false, out });
}

runInThisContext(readFileSync(join(projectRoot, 'out/program.js'), 'utf8'));
const [status, isNamed] = await globalThis.created;
if (status !== 200 || !isNamed) throw new Error(`Unexpected result of the bundle: ${status}, ${isNamed}`);
process.exit();
