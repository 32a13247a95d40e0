import { createRequire } from 'node:module';

/** The exports of the contract's manifest: by subpath, then by condition. */
const { exports } = createRequire(import.meta.url)('@plant-store/contract/package.json') as {
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

/**
 * The module of the contract that a specifier such as `@plant-store/contract/errors` refers to, below `src` and without extension.
 *
 * @throws {Error} when the contract has none
 */
export function findContractModule(specifier: string): string {
  const subpath = /^@plant-store\/contract\/(.+)$/.exec(specifier)?.[1];
  const source = exports[`./${subpath}`]?.['@plant-store/source'];
  if (source === undefined) throw new Error(`The contract has no ${specifier}`);
  return source.replace(/^\.\/src\/|\.ts$/g, '');
}
