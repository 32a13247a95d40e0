// Writes the release: the folder release/plant-store-<version> for servers, and the same as one package for npm beside it.
// `SOURCE_DATE_EPOCH` sets the time of the folder's files, `COMMIT` the commit where there is no Git.
import { relative } from 'node:path';
import { findCommit } from './release/find-commit.js';
import { root } from './release/folders.js';
import { writePackage } from './release/write-package.js';
import { writeRelease } from './release/write-release.js';

const { COMMIT: commit = '', SOURCE_DATE_EPOCH: epoch = '' } = process.env;
const found = findCommit(root);
const { folder, files, bytes } = await writeRelease({
  parent: `${root}/release`,
  commit: commit || found.id,
  time: epoch === '' ? found.time : new Date(Number(epoch) * 1_000),
});
console.log(`${relative(root, folder)}: ${files} files, ${toMebibytes(bytes)}`);
const written = writePackage(folder);
console.log(`${relative(root, written.tarball)}: ${toMebibytes(written.bytes)}`);

function toMebibytes(size: number): string {
  return `${(size / 2 ** 20).toFixed(1)} MiB`;
}
