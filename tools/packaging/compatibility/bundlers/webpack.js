// Bundles with webpack or Rspack, which have the same API.
import { resolve } from 'node:path';

const [, , name] = process.argv;
const { default: bundler } = await import(name);
const compiler = bundler({
  mode: 'production',
  target: 'web',
  entry: './main.js',
  output: { path: resolve('out', name.replace('@rspack/core', 'rspack')), filename: 'main.js' },
});
await new Promise((done, failed) => {
  compiler.run((error, stats) => {
    if (error || stats.hasErrors()) failed(error ?? new Error(stats.toString()));
    compiler.close(done);
  });
});
