import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startNode } from '../support/process/run-command.js';
import { root } from '../support/read-markdown.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const endless = ['async () => { for (;;) await undefined; }', '() => { for (;;); }'];

it('a run of vitest in which a test never ends is ended, and names the test, however the test blocks', async () => {
  const runs = endless.map((body) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'endless.test.js'), `it('never ends', ${body});\n`);
    const vitest = join(root, 'apps/api/node_modules/vitest/vitest.mjs');
    const reporters = ['brief', 'stuck'].map((name) => `--reporter=${join(root, `.ci/${name}-reporter.ts`)}`);
    const args = [vitest, 'run', '--root', folder, '--globals', ...reporters];
    return startNode(args, { STUCK_AFTER_MINUTES: '0.3' }).end();
  });
  for (const { exitCode, stderr } of await Promise.all(runs)) {
    expect(stderr).toContain('No test has begun or ended for 0.3 minutes, so this run ends.');
    expect(stderr).toContain('endless.test.js > never ends\n');
    expect(exitCode).toBe(1);
  }
});
