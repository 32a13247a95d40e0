// Writes the release folder, release/plant-store-<version>. `SOURCE_DATE_EPOCH` sets the time of its files, `COMMIT` the
// commit where there is no Git.
import { relative } from 'node:path';
import { findCommit } from './release/find-commit.js';
import { root } from './release/folders.js';
import { writeRelease } from './release/write-release.js';

const { COMMIT: commit = '', SOURCE_DATE_EPOCH: epoch = '' } = process.env;
const found = findCommit(root);
const { folder, files, bytes } = await writeRelease({
  parent: `${root}/release`,
  commit: commit || found.id,
  time: epoch === '' ? found.time : new Date(Number(epoch) * 1_000),
});
console.log(`${relative(root, folder)}: ${files} files, ${(bytes / 2 ** 20).toFixed(1)} MiB`);
