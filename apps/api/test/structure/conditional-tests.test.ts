import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const testFiles = globSync('{apps,packages}/*/{scripts,src,test}/**/*.test.{ts,tsx}', { cwd: root });
/** The beginning of a test that does not always run, with the line above it. */
const conditionalTest = /^(.*)\n *((?:it|test|describe)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo)\b.*)/gm;

it('every test that does not always run has the reason in the line above', () => {
  const conditional = testFiles.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(conditionalTest)].map(([, above, test]) => ({
      file,
      above,
      test,
    })),
  );
  // What only two worker processes leave out, and what only Linux can, for example.
  expect(conditional.length).toBeGreaterThan(5);
  expect(conditional.filter(({ above = '' }) => !/^ *\/\/ .+\.$/.test(above))).toEqual([]);
});
