import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pack } from '../pack.js';
import { writeServedFiles } from '../write-served-files.js';

const client = fileURLToPath(new URL('../../../../packages/client', import.meta.url));

/**
 * Packs the client for publishing, and writes it in the form that the service reads.
 *
 * @param target the folder to write, which must not exist
 * @throws {Error} when the client has not been built, or pnpm cannot pack it
 */
export function writeClient(target: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-client-'));
  try {
    pack(client, join(folder, '%s-%v.tgz'));
    const [name = ''] = readdirSync(folder);
    writeServedFiles(target, [[name, readFileSync(join(folder, name))]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
