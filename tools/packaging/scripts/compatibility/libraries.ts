import { cpSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Table } from '../support/documented-table.js';
import { createProject, installTools } from '../support/install.js';
import { compilers, findTypeErrors, minorOf, packageOf, resolutions } from './compilers.js';

/** The libraries that entries of the client are for, with the program in `peers/` that uses both. */
const libraries = [
  { title: '`./msw`, MSW 2.10.0', program: 'msw', packages: ['msw@2.10.0'] },
  { title: '`./msw`, MSW 3.0.5', program: 'msw', packages: ['msw@3.0.5'] },
  {
    title: '`./tanstack-query`, React Query 5.108.0',
    program: 'react-query',
    packages: ['@tanstack/react-query@5.108.0', 'react@19.3.1', '@types/react@19.3.0'],
  },
];

/**
 * Compiles programs that use entries of the packed client with the libraries that these are for, with each version of
 * TypeScript and each module resolution, with `skipLibCheck` off, and where that fails, on.
 */
export function tryLibraries(folder: string, client: string): Table {
  const rows = compilers.flatMap(({ typesOfNode, versions }) => {
    const projects = libraries.map(({ program, packages }, index) => {
      const project = createProject(folder, `libraries-${typesOfNode}-${index}`);
      installTools(project, client, `@types/node@${typesOfNode}`, ...packages, ...versions.map(packageOf));
      return { project, program };
    });
    return versions.map((version) => {
      const cells = projects.map(({ project, program }) => tryProgram(project, version, program));
      console.log(`compatibility: TypeScript ${version}: ${cells.join('; ')}`);
      return [minorOf(version), ...cells];
    });
  });
  return { head: ['TypeScript', ...libraries.map(({ title }) => title)], rows };
}

/** Returns the module resolutions with which a program compiles, and those that take `skipLibCheck`. */
function tryProgram(project: string, version: string, program: string): string {
  const cells = Object.entries(resolutions).map(([moduleResolution, module]) => {
    const target = join(project, `${version}-${moduleResolution}`);
    mkdirSync(target);
    cpSync(resolve(import.meta.dirname, `../../peers/${program}.ts`), join(target, 'program.ts'));
    const options = { lib: ['es2022', 'dom', 'dom.iterable'], types: ['node'], module, moduleResolution };
    const errors = findTypeErrors(target, version, { ...options, skipLibCheck: false });
    if (errors === undefined) return `\`${moduleResolution}\``;
    console.error(errors);
    const remaining = findTypeErrors(target, version, { ...options, skipLibCheck: true });
    if (remaining === undefined) return `\`${moduleResolution}\` with \`skipLibCheck\``;
    console.error(remaining);
    return undefined;
  });
  return cells.filter((cell) => cell !== undefined).join(', ') || 'no';
}
