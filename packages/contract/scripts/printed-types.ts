import { readFileSync } from 'node:fs';
import { contract } from '../src/contract.js';
import { resources } from '../src/resources.js';
import { operationsOf } from './operations-of.js';
import { typesOf } from './types-of.js';

/** Prints the generated modules, by file name in `src`. */
export function printedTypes(): Readonly<Record<'types.ts' | 'operations.ts', string>> {
  const types = typesOf(Object.values(resources));
  const parts = readFileSync(new URL('../src/operation-parts.ts', import.meta.url), 'utf8');
  return {
    'types.ts': types,
    'operations.ts': operationsOf(contract, { './operation-parts.js': parts, './types.js': types }),
  };
}
