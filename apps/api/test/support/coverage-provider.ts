import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import v8 from '@vitest/coverage-v8';

/**
 * Coverage by V8, without what a process has left half-written that a test killed while it ended: Vitest would end with an error
 * for it.
 */
// biome-ignore lint/style/noDefaultExport: Vitest takes the default export.
export default {
  ...v8,
  async takeCoverage(options: Parameters<NonNullable<typeof v8.takeCoverage>>[0]) {
    if (this.extendedContextCoverageDir !== undefined) removeIncomplete(this.extendedContextCoverageDir);
    return v8.takeCoverage?.call(this, options);
  },
} satisfies typeof v8;

function removeIncomplete(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    try {
      JSON.parse(readFileSync(path, 'utf8'));
    } catch {
      rmSync(path, { force: true });
    }
  }
}
