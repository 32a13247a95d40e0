import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fillStore, readRows, storePath } from '../support/process/fill-store.js';
import { plantLine } from '../support/process/plant-lines.js';
import { failed } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';
import { readPage } from '../support/read-markdown.js';

const noJson = 'The line is not valid JSON:';

/** Kinds of bad lines, each with the reported reason. */
const kinds: ((id: number) => [text: string | Buffer, reason: string])[] = [
  (id) => [
    `{"id":${id}`,
    `${noJson} Expected ',' or '}' but reached end of input at position ${`{"id":${id}`.length}.`,
  ],
  (id) => [Buffer.from(`{"id":${id},"name":"caf\xe9"}`, 'latin1'), `${noJson} it is not in UTF-8.`],
  (id) => [
    `{"id":"${id}","tag":null}`,
    'The plant is not valid: id must be an integer, not a string: send its digits as idText; name is required; tag must be a string.',
  ],
  () => [
    '{"id":9223372036854775808,"name":"x"}',
    'The plant is not valid: id must be an integer from -9223372036854775808 to 9223372036854775807.',
  ],
  () => ['{"id":1,"name":"another plant"}', 'Plant 1 already exists with different values.'],
  (id) => [plantLine(id, 'x'.repeat(2_000)).trim(), 'The line is longer than 1088 bytes.'],
  (id) => [
    `{"id":${id},\u001b[2J}`,
    `${noJson} Expected a name in double quotes but got '\\u001b' at position ${`{"id":${id},`.length}.`,
  ],
];

it('reports each of 140 bad lines among 2,800, and imports the rest', async () => {
  const { folder, run } = useCommands({ BODY_MAX_BYTES: '1024' });
  const lines: Buffer[] = [];
  const bad: string[] = [];
  for (let number = 1; number <= 2_800; number++) {
    const kind = number % 20 === 0 ? kinds[(number / 20) % kinds.length] : undefined;
    const [text, reason] = kind?.(number) ?? [plantLine(number).trim()];
    lines.push(Buffer.from(text), Buffer.from('\n'));
    if (reason !== undefined) bad.push(`line ${number}: ${reason}\n`);
  }
  writeFileSync(join(folder, 'plants.ndjson'), Buffer.concat(lines));
  expect(await run('import plants.ndjson')).toEqual(
    failed(
      `${bad.join('')}2660 imported, 0 already there, 140 bad\nplant-store: 140 lines were invalid and skipped. Fix them and import the file again. Records that are already stored will not be changed.\n`,
    ),
  );
  const expected = Array.from({ length: 2_800 }, (_, index) => index + 1).filter((id) => id % 20 !== 0);
  expect(readRows(storePath(folder))).toEqual(expected.map((id) => [BigInt(id), `plant ${id}`, null]));
});

it('prints for invalid lines what the page on export and import shows', async () => {
  const page = readPage('docs/operate/export.md');
  const [, shown = ''] = /^```\n(line 7: .*?)^```$/ms.exec(page) ?? [];
  const [, json] = /`(\{"imported":[^`]*)`/.exec(page) ?? [];
  const lines = Array.from({ length: 100 }, (_, index) => plantLine(index + 1, 'plant'));
  lines[6] = '{"id":70\n';
  lines[11] = '{"name":1}\n';
  lines[30] = '{"id":5,"name":"another plant"}\n';
  const result = await useCommands().run('import --json', lines.join(''));
  expect(result).toEqual(failed(shown, `${json}\n`));
});

it('accepts blank lines, carriage returns, a byte order mark, and a last line without a line break', async () => {
  const text = `\uFEFF${plantLine(1)}\r\n \n${plantLine(2).trim()}\r\nbad\n${plantLine(3).trim()}`;
  const message =
    /^line 5: .* is not valid JSON: .*\n3 imported, 0 already there, 1 bad\nplant-store: 1 line was invalid/;
  expect(await useCommands().run('import', text)).toEqual(failed(message));
});

it('accepts the export of the largest plant that a request can contain', async () => {
  const limits = { BODY_MAX_BYTES: '64' };
  const { folder, run } = useCommands(limits);
  const name = 'x'.repeat(64 - '{"id":9e18,"name":""}'.length);
  await fillStore(folder, [[9_000_000_000_000_000_000n, name, null]]);
  const { stdout } = await run('export');
  const other = useCommands(limits);
  expect(await other.run('import', stdout)).toMatchObject({ exitCode: 0 });
  expect(readRows(storePath(other.folder))).toEqual([[9_000_000_000_000_000_000n, name, null]]);
});
