import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../../src/operation.js';

/** Lines to be written by hand instead of generated ones. */
export interface FillIn {
  readonly file: string;
  readonly generated: string;
  readonly replacement: string;
}

/** @throws {Error} when a file does not have the generated lines exactly once */
export function fillIn(root: string, fillIns: readonly FillIn[]): void {
  for (const { file, generated, replacement } of fillIns) {
    const [start, end, ...others] = readFileSync(join(root, file), 'utf8').split(generated);
    if (start === undefined || end === undefined || others.length > 0) {
      throw new Error(`${file} does not have exactly once:\n${generated}`);
    }
    writeFileSync(join(root, file), start + replacement + end);
  }
}

/** The least that makes an operation answer: the same plant to every request. */
export function fillInsFor({ name, file }: Operation): FillIn[] {
  const generated = `throw new Error('${name} is not implemented');`;
  return [
    { file: `apps/api/src/plants/${file}.ts`, generated, replacement: "return { name: 'Monstera' };" },
    {
      file: `packages/client/src/testing/handlers/${file}.ts`,
      generated,
      replacement: "return { status: 200, body: { name: 'Monstera' } };",
    },
  ];
}
