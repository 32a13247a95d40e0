import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const manifest = resolve(import.meta.dirname, '../../../../package.json');

/** The pnpm that the repository is pinned to, as `pnpm@<version>`. */
export const { packageManager: pinnedPnpm }: { readonly packageManager: string } = JSON.parse(
  readFileSync(manifest, 'utf8'),
);
