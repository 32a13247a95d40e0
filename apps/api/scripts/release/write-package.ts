import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from '../pack.js';
import { findInstalled } from './bundled-packages.js';

/**
 * Packs a release as an npm package, which `npx ./plant-store-<version>.tgz serve --quickstart` runs without a registry. The package adds
 * the SQLite binaries of all other platforms.
 *
 * @param folder the folder of the release; the tarball is written beside it
 * @returns the path of the tarball and its size
 */
export function writePackage(folder: string): { readonly tarball: string; readonly bytes: number } {
  const temporary = mkdtempSync(join(tmpdir(), 'plant-store-package-'));
  const tarball = `${folder}.tgz`;
  const prebuilds = 'node_modules/better-sqlite3/prebuilds';
  try {
    cpSync(folder, temporary, { recursive: true });
    cpSync(join(findInstalled('better-sqlite3'), 'prebuilds'), join(temporary, prebuilds), {
      recursive: true,
    });
    pack(temporary, tarball);
  } finally {
    rmSync(temporary, { recursive: true });
  }
  return { tarball, bytes: statSync(tarball).size };
}
