import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fillStore, readRows, storePath } from '../support/process/fill-store.js';
import { plantLine } from '../support/process/plant-lines.js';
import { failed } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';
import { readPage } from '../support/read-markdown.js';

const noJson = 'The line is not valid JSON:';

it('reports each bad line, and imports the rest', async () => {
  const { folder, run } = useCommands({ BODY_MAX_BYTES: '1024' });
  const bad: [text: string | Buffer, reason: string][] = [
    ['{"id":7', `${noJson} Expected ',' or '}' but reached end of input at position 7.`],
    [Buffer.from('{"id":7,"name":"caf\xe9"}', 'latin1'), `${noJson} it is not in UTF-8.`],
    [
      '{"id":"7","tag":null}',
      'The plant is not valid: id must be an integer, not a string (for a string, use idText); name is required; tag must be a string.',
    ],
    [
      '{"id":9223372036854775808,"name":"x"}',
      'The plant is not valid: id must be an integer from -9223372036854775808 to 9223372036854775807.',
    ],
    ['{"id":1,"name":"another plant"}', 'Plant 1 already exists with different values.'],
    [plantLine(7, 'x'.repeat(2_000)).trim(), 'The line is longer than 1088 bytes.'],
    ['{"id":7,\u001b[2J}', `${noJson} Expected a name in double quotes but got '\\u001b' at position 8.`],
  ];
  // A byte order mark, blank lines, carriage returns, and a last line without a line break are fine.
  const lines = [`\uFEFF${plantLine(1)}\r\n \n${plantLine(2).trim()}\r\n`];
  const parts = [...lines, ...bad.flatMap(([text]) => [text, '\n']), plantLine(3).trim()];
  writeFileSync(join(folder, 'plants.ndjson'), Buffer.concat(parts.map((part) => Buffer.from(part))));
  const reported = bad.map(([, reason], index) => `line ${index + 5}: ${reason}\n`).join('');
  expect(await run('import plants.ndjson')).toEqual(
    failed(
      `${reported}3 imported, 0 already there, 7 bad\nplant-store: 7 lines were invalid and skipped. Fix them and import the file again. Records that are already stored will not be changed.\n`,
    ),
  );
  expect(readRows(storePath(folder)).map(([id]) => id)).toEqual([1n, 2n, 3n]);
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

it('accepts the export of the largest plant that a request can contain', async () => {
  const limits = { BODY_MAX_BYTES: '64' };
  const { folder, run } = useCommands(limits);
  const name = 'x'.repeat(64 - '{"id":9e18,"name":""}'.length);
  await fillStore(folder, [[9_000_000_000_000_000_000n, name, null]]);
  const other = useCommands(limits);
  expect(await other.run('import', (await run('export')).stdout)).toMatchObject({ exitCode: 0 });
  expect(readRows(storePath(other.folder))).toEqual([[9_000_000_000_000_000_000n, name, null]]);
});
