import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The test files that take longest, in this order: at the end of a run they would keep it waiting. Paths end with these. */
export const longest = [
  'test/process/workers.test.ts',
  'test/process/missing-standby.test.ts',
  'scripts/release/write-release.test.ts',
  'test/process/postgresql-outages.test.ts',
  'test/service/postgresql-away.test.ts',
  'test/jwt/provider-keys.test.ts',
  'src/store/postgresql/run-query.test.ts',
  'src/store/postgresql/open-postgresql.test.ts',
  'test/process/stop-with-parent.test.ts',
  'test/http/exact-ids.test.ts',
  'test/browser/documentation.test.ts',
  'test/browser/page/import-interrupted.test.ts',
  'test/browser/page/accessibility.test.ts',
  'test/browser/page/failures.test.ts',
];

/** Starts the files that take longest first: where Vitest knows no durations, as in CI, it starts large files first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return sortLongestFirst(await super.sort(files));
  }
}

/** Puts the files of each project that take longest before its others, whose order stays, as does that of the projects. */
export function sortLongestFirst<File extends TestFile>(files: readonly File[]): File[] {
  const projects = [...new Set(files.map(({ project }) => project.name))];
  return files.toSorted(
    (a, b) => projects.indexOf(a.project.name) - projects.indexOf(b.project.name) || rank(a) - rank(b),
  );
}

type TestFile = { readonly moduleId: string; readonly project: { readonly name: string } };

function rank({ moduleId }: TestFile): number {
  const index = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
  return index < 0 ? longest.length : index;
}
