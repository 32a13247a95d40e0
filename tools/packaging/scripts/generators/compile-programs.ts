import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The names of the operations of each program that do not compile. */
export type FailedOperations = ReadonlyMap<string, ReadonlySet<string>>;

const compilerOptions = {
  strict: true,
  noEmit: true,
  target: 'es2023',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: ['node'],
  skipLibCheck: true,
  allowImportingTsExtensions: true,
};

/** The name of the program that differs from another by `plant.idText` in place of `plant.id`. */
export function documentedOf(program: string): string {
  return `${program}.documented`;
}

export function writeDocumented(project: string, program: string): void {
  const text = readFileSync(join(project, `${program}.ts`), 'utf8');
  writeFileSync(
    join(project, `${documentedOf(program)}.ts`),
    text.replaceAll(/\bplant\.id\b/g, 'plant.idText'),
  );
}

/**
 * Compiles programs of a project, and their documented ones, with the compiler of the workspace.
 *
 * @throws {Error} with what the compiler prints if it rejects anything but an operation with `plant.id`
 */
export function compilePrograms(project: string, programs: readonly string[]): FailedOperations {
  const include = programs.flatMap((program) => [`${program}.ts`, `${documentedOf(program)}.ts`]);
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  const tsc = resolve(import.meta.dirname, '../../node_modules/.bin/tsc');
  const { error, stdout, status } = spawnSync(tsc, ['--pretty', 'false'], { cwd: project, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0 && stdout === '') throw new Error(`tsc ends with the status ${status}`);
  return findFailedOperations(stdout, (file) => readFileSync(join(project, file), 'utf8'));
}

/** As `compilePrograms`, from what the compiler prints. */
export function findFailedOperations(printed: string, read: (file: string) => string): FailedOperations {
  const failed = new Map<string, Set<string>>();
  for (const error of printed.split('\n').filter((line) => /^\S/.test(line))) {
    const [, program, line] = /^([\w-]+)\.ts\((\d+),\d+\): error TS/.exec(error) ?? [];
    if (program === undefined) throw new Error(printed);
    const lines = read(`${program}.ts`).split('\n').slice(0, Number(line));
    const begin = lines.findLast((text) => /^ {2}\w+: /.test(text));
    if (begin === undefined || !lines.at(-1)?.includes('plant.id')) throw new Error(printed);
    failed.set(program, (failed.get(program) ?? new Set()).add(begin.trim().split(':')[0] ?? ''));
  }
  return failed;
}
