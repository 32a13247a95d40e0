import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The test files that take minutes, the longest first. Paths end with these. */
export const longest = [
  'test/browser/page/many-plants.test.ts',
  'test/browser/page/interrupted-run.test.ts',
  'test/browser/page/accessibility.test.ts',
  'test/browser/page/failures.test.ts',
];

/** Starts the files that take longest first: where Vitest knows no durations, as in CI, it starts large files first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return sortLongestFirst(await super.sort(files));
  }
}

/** Puts the files that take longest before the others, whose order stays. */
export function sortLongestFirst<File extends { readonly moduleId: string }>(files: readonly File[]): File[] {
  return files.toSorted((a, b) => rank(a) - rank(b));
}

function rank({ moduleId }: { readonly moduleId: string }): number {
  const index = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
  return index < 0 ? longest.length : index;
}
