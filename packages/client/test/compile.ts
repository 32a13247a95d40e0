import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';

const modules = join(import.meta.dirname, '../node_modules');

/** Compiles files, by their names, in a folder from which the package's own imports work. Returns what the compiler prints. */
export function compile(files: Record<string, string>, compilerOptions: object, ...options: string[]) {
  const { status, stdout } = runCompiler(files, compilerOptions, ...options);
  expect(status, stdout).toBe(0);
  return stdout;
}

/** The same for files that may have errors. */
export function runCompiler(files: Record<string, string>, compilerOptions: object, ...options: string[]) {
  const project = mkdtempSync(join(modules, '.compiled-'));
  onTestFinished(() => rmSync(project, { recursive: true }));
  const config = { extends: '../../../../tsconfig.base.json', compilerOptions, files: Object.keys(files) };
  const written = { ...files, 'tsconfig.json': JSON.stringify(config) };
  for (const [name, text] of Object.entries(written)) writeFileSync(join(project, name), text);
  const tsc = join(modules, 'typescript/bin/tsc');
  return spawnSync(process.execPath, [tsc, '-p', project, ...options], { encoding: 'utf8' });
}
