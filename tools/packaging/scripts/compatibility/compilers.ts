import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../support/run.js';

/** Versions of TypeScript with the types of Node.js that they can compile: the oldest supported, or the newest. */
export const compilers = [
  { typesOfNode: '22.14.1', versions: ['5.4.5', '5.5.4'] },
  { typesOfNode: '26.6.6', versions: ['5.6.3', '5.7.3', '5.8.3', '5.9.3', '6.0.3', '7.0.2'] },
];

/** The values of `moduleResolution` that are tried, and `module` for each. */
export const resolutions = { nodenext: 'nodenext', bundler: 'esnext' };

/** What to install for a version of TypeScript, so that several are in one project. */
export const packageOf = (version: string) => `typescript-${version}@npm:typescript@${version}`;

/** A version without its patch, as the tables show it. */
export const minorOf = (version: string) => version.replace(/\.\d+$/, '');

/**
 * Compiles the TypeScript files of a folder of a project, under `strict` and `exactOptionalPropertyTypes`.
 *
 * @returns the errors of the compiler, or nothing if there are none
 */
export function findTypeErrors(folder: string, version: string, options: object): string | undefined {
  const compilerOptions = {
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    ...options,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  try {
    run(folder, process.execPath, join(folder, `../node_modules/typescript-${version}/bin/tsc`));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
