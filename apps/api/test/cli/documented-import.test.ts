import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../support/process/run-command.js';
import { readPage } from '../support/read-markdown.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** What makes the lines invalid that the page on backup shows. */
const invalidLines: Readonly<Record<number, string>> = {
  7: '{"id":70',
  12: '{"name":1}',
  31: '{"id":5,"name":"another plant"}',
};

it('prints for invalid lines what the page on backup shows', async () => {
  const page = readPage('docs/operate/backup.md');
  const [, shown] = /^```\n(line 7: .*?)^```$/ms.exec(page) ?? [];
  const [, totals] = /`(\d+ imported, [^`]*)`/.exec(page) ?? [];
  const folder = temporaryFolder();
  const file = join(folder, 'plants.ndjson');
  const lines = Array.from(
    { length: 100 },
    (_, index) => invalidLines[index + 1] ?? `{"id":${index + 1},"name":"plant"}`,
  );
  writeFileSync(file, lines.join('\n'));

  expect(await runCommand(['import', file], { folder })).toEqual({
    exitCode: 1,
    stdout: `${totals}\n`,
    stderr: shown,
  });
});
