// Writes the release: the folder release/plant-store-<version> for servers, the npm package, and the Debian package.
// `SOURCE_DATE_EPOCH` sets the time of the files, `COMMIT` the commit where there is no Git, and `DEBEMAIL` the email address of the
// Debian package's maintainer.
import { relative } from 'node:path';
import { findCommit } from './release/find-commit.js';
import { root } from './release/folders.js';
import { writeDebianPackage } from './release/write-debian-package.js';
import { writePackage } from './release/write-package.js';
import { writeRelease } from './release/write-release.js';

const { COMMIT: commit = '', SOURCE_DATE_EPOCH: epoch = '', DEBEMAIL: email = '' } = process.env;
const found = findCommit(root);
const time = epoch === '' ? found.time : new Date(Number(epoch) * 1_000);
const { folder, files, bytes } = await writeRelease({
  parent: `${root}/release`,
  commit: commit || found.id,
  time,
});
console.log(`${relative(root, folder)}: ${files} files, ${toMebibytes(bytes)}`);
const written = writePackage(folder);
console.log(`${relative(root, written.tarball)}: ${toMebibytes(written.bytes)}`);
const debian = writeDebianPackage({
  folder,
  time,
  ...(email !== '' && { maintainer: `Plant Store maintainers <${email}>` }),
});
console.log(
  debian.missing === undefined
    ? `${relative(root, debian.path)}: ${toMebibytes(debian.bytes)}`
    : `The .deb is left out: there is no ${debian.missing} here.`,
);

function toMebibytes(size: number): string {
  return `${(size / 2 ** 20).toFixed(1)} MiB`;
}
