import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { editsFor, filesFor } from './files.js';
import type { Operation } from './operation.js';

/**
 * Writes everything that an operation needs into a repository, and prints the OpenAPI document again.
 *
 * @returns the paths of the files that were written, relative to the root
 * @throws {Error} when there is such an operation already, a file is not as expected, or the result cannot be formatted or
 * printed; no file is changed then
 */
export function writeOperation(root: string, operation: Operation): string[] {
  const written = new Map<string, string>(Object.entries(filesFor(operation)));
  for (const file of written.keys()) {
    if (existsSync(join(root, file))) throw new Error(`${file} exists already`);
  }
  const originals = new Map<string, string>();
  for (const { file, before, addition } of editsFor(operation)) {
    const text = written.get(file) ?? readFileSync(join(root, file), 'utf8');
    if (!originals.has(file)) originals.set(file, text);
    const start = text.indexOf(`\n${before}`) + 1;
    if (start === 0) throw new Error(`No place to insert at: no line of ${file} starts with "${before}"`);
    written.set(file, text.slice(0, start) + addition + text.slice(start));
  }

  try {
    for (const [file, text] of written) writeFileSync(join(root, file), text);
    format(root, [...written.keys()]);
    printDocument(root);
  } catch (error) {
    for (const file of written.keys()) {
      const original = originals.get(file);
      if (original === undefined) rmSync(join(root, file), { force: true });
      else writeFileSync(join(root, file), original);
    }
    throw error;
  }
  return [...written.keys(), 'packages/contract/openapi.json'];
}

/** Formats sources and sorts their imports; whether one of them has become too long is up to `pnpm lint`. */
function format(root: string, files: readonly string[]): void {
  const sources = files.filter((file) => file.endsWith('.ts'));
  run(root, join(root, 'node_modules/.bin/biome'), 'check', '--write', '--linter-enabled=false', ...sources);
}

/** Writes the document last, so that it is unchanged if this fails. */
function printDocument(root: string): void {
  const contract = join(root, 'packages/contract');
  const tsx = join(contract, 'node_modules/.bin/tsx');
  run(contract, tsx, '--conditions=@plant-store/source', 'scripts/print-openapi.ts');
}

function run(folder: string, command: string, ...options: string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, options, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} failed:\n${stdout}${stderr}`, { cause: error });
}
