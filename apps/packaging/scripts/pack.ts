import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from './run.js';

/** The packages as they would be published. */
export interface Packed {
  /** A folder outside the workspace, for whatever is made of the packages. */
  readonly folder: string;
  /** The paths of their tarballs. */
  readonly tarballs: readonly string[];
}

/** Packs the built packages for as long as `use` takes. */
export function withPackedPackages(use: (packed: Packed) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-packed-'));
  try {
    const tarballs = ['contract', 'client'].map((name) => {
      const tarball = join(folder, `${name}.tgz`);
      run(resolve(import.meta.dirname, '../../../packages', name), 'pnpm', 'pack', '--out', tarball);
      return tarball;
    });
    const project = join(folder, 'project');
    mkdirSync(project);
    use({ folder: project, tarballs });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
