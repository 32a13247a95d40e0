import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { findContractModule } from './contract-modules.js';

/** The packages that the client's optional entries are for. */
const { peerDependenciesMeta } = createRequire(import.meta.url)('../package.json') as {
  readonly peerDependenciesMeta: Readonly<Record<string, object>>;
};

interface Copy {
  /** Where the compiler has written the declarations, in the folder structure of `packages/`. */
  readonly from: string;
  readonly to: string;
  /** Modules of the client, without extension. */
  readonly entries: readonly string[];
}

/**
 * Copies the declarations of the client's entries and all that they import, including those of the contract, so that
 * they depend on no other package.
 *
 * @throws {Error} when one imports from a package that the client does not depend on, such as zod
 */
export function copyTypes({ from, to, entries }: Copy): void {
  const modules = new Set(entries.map((entry) => `client/src/${entry}`));
  for (const module of modules) {
    const text = readFileSync(join(from, `${module}.d.ts`), 'utf8');
    const copied = text.replace(imports, (statement, before, quote, specifier) => {
      if (specifier in peerDependenciesMeta) return statement;
      const imported = findModule(specifier, module);
      modules.add(imported);
      const path = relative(dirname(targetOf(module)), targetOf(imported));
      return `${before}${quote}${path.startsWith('.') ? path : `./${path}`}.js${quote}`;
    });
    const target = join(to, `${targetOf(module)}.d.ts`);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, copied);
  }
}

/** An import statement, which begins a line unless it is an example in a comment, or an import type. */
const imports = /(^(?:import|export) [^;]*?\bfrom |\bimport\()(['"])(.+?)\2/gm;

/** The module below `packages/` that a specifier refers to. */
function findModule(specifier: string, importer: string): string {
  if (specifier.startsWith('.')) return join(dirname(importer), specifier.replace(/\.js$/, ''));
  return `contract/src/${findContractModule(specifier)}`;
}

/** Where the declarations of a module go, relative to the target. */
function targetOf(module: string): string {
  const [, folder, path] = /^(client|contract)\/src\/(.+)$/.exec(module) ?? [];
  if (path === undefined) throw new Error(`${module} belongs to neither package`);
  return folder === 'contract' ? `contract/${path}` : path;
}
