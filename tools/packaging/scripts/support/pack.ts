import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from './run.js';

/** The packages as they would be published. */
export interface Packed {
  /** A folder outside the workspace, for projects that use the packages. */
  readonly folder: string;
  /** The paths of their tarballs. */
  readonly tarballs: { readonly client: string; readonly contract: string };
}

/** Packs the built packages, and removes the tarballs after `use`. */
export async function withPackedPackages(use: (packed: Packed) => void | Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-packed-'));
  const pack = (name: string) => {
    const tarball = join(folder, `${name}.tgz`);
    run(resolve(import.meta.dirname, '../../../../packages', name), 'pnpm', 'pack', '--out', tarball);
    return tarball;
  };
  try {
    await use({ folder, tarballs: { client: pack('client'), contract: pack('contract') } });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
