// Checks the manifests of the packed packages with publint and Are The Types Wrong.
import { resolve } from 'node:path';
import { withPackedPackages } from './support/pack.js';
import { run } from './support/run.js';

const commands = resolve(import.meta.dirname, '../node_modules/.bin');

await withPackedPackages(({ folder, tarballs }) => {
  for (const tarball of Object.values(tarballs)) {
    console.log(run(folder, `${commands}/publint`, tarball, '--strict'));
    console.log(
      run(folder, `${commands}/attw`, tarball, '--profile', 'esm-only', '--no-emoji', '--no-color'),
    );
  }
});
