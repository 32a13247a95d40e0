import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.js';
import { builtService } from './start-service.js';

/**
 * Copies the built service, with another version of the client to hand out.
 *
 * @param parent the folder for the copy
 * @param client the path of the packed client
 * @returns the folder of the copy
 */
export function copyService(parent: string, client: string, version: string): string {
  const folder = mkdtempSync(join(parent, 'service-'));
  cpSync(join(builtService, 'dist'), join(folder, 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.map') && !path.endsWith('dist/client'),
  });
  for (const name of ['package.json', 'prisma', 'node_modules']) {
    symlinkSync(join(builtService, name), join(folder, name));
  }
  const served = join(folder, 'dist/client');
  mkdirSync(served);
  const name = `plant-store-client-${version}.tgz`;
  repack(folder, client, version, join(served, name));
  const hash = createHash('sha256')
    .update(readFileSync(join(served, name)))
    .digest('base64url');
  writeFileSync(join(served, 'files.json'), JSON.stringify({ [name]: hash }));
  return folder;
}

/** Packs a package again with another version, in a folder. */
function repack(folder: string, tarball: string, version: string, target: string): void {
  run(folder, 'tar', '-xzf', tarball);
  const manifest = join(folder, 'package/package.json');
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), version }));
  run(folder, 'tar', '-czf', target, 'package');
}
