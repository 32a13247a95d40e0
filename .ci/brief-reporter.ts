import { MinimalReporter, type Vitest } from 'vitest/node';

type Summary = Parameters<MinimalReporter['reportTestSummary']>;

/** Prints failures as vitest does, or one summary line if there are none. */
// biome-ignore lint/style/noDefaultExport: vitest loads a reporter as the default export.
export default class BriefReporter extends MinimalReporter {
  override onInit(vitest: Vitest): void {
    this.ctx = vitest;
    this.silent = 'passed-only';
  }

  override reportTestSummary(...[files, errors, leaks]: Summary): void {
    const { state } = this.ctx;
    if (errors.length + leaks + state.getCountOfFailedTests() + state.getFailedFilepaths().length > 0) {
      super.reportTestSummary(files, errors, leaks);
      return;
    }
    const tests = state.getTestModules().flatMap((module) => [...module.children.allTests()]);
    const skipped = tests.filter((test) => test.result().state === 'skipped').length;
    const seconds = Math.round((performance.now() - this.start) / 1_000);
    this.log(
      `${files.length} files, ${tests.length - skipped} tests passed, ${skipped} skipped, in ${seconds} s`,
    );
  }
}
