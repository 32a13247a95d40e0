import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { editsFor } from './edits.js';
import { filesFor } from './files.js';
import type { Operation } from './operation.js';

/**
 * Writes everything that an operation needs into a repository, and prints the OpenAPI document again.
 *
 * @returns the paths of the files that were written, relative to the root
 * @throws {Error} when the operation is there already, or a file is not as expected; nothing is written then
 */
export function writeOperation(root: string, operation: Operation): string[] {
  const written = new Map<string, string>(Object.entries(filesFor(operation)));
  for (const file of written.keys()) {
    if (existsSync(join(root, file))) throw new Error(`${file} exists already`);
  }
  for (const { file, edit } of editsFor(operation)) {
    written.set(file, edit(written.get(file) ?? readFileSync(join(root, file), 'utf8')));
  }
  for (const [file, text] of written) writeFileSync(join(root, file), text);

  const files = [...written.keys()];
  const sources = files.filter((file) => file.endsWith('.ts'));
  run(root, join(root, 'node_modules/.bin/biome'), 'check', '--write', ...sources);
  const contract = join(root, 'packages/contract');
  run(
    contract,
    join(contract, 'node_modules/.bin/tsx'),
    '--conditions=@plant-store/source',
    'scripts/print-openapi.ts',
  );
  return [...files, 'packages/contract/openapi.json'];
}

function run(folder: string, command: string, ...options: string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, options, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} failed:\n${stdout}${stderr}`, { cause: error });
}
