import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase } from '@plant-store/postgresql-server';
import { expect, inject, it } from 'vitest';
import type {} from '../support/postgresql/global-setup.js';
import { fillStore, type Row } from '../support/process/fill-store.js';
import { succeeded } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';

/** Rows, each with its texts in JSON: special ones, and more than two pages between these. */
const rows: readonly (readonly [Row, texts: string])[] = [
  [[-9223372036854775808n, '', null], '"name":""'],
  [
    [-9007199254740993n, 'Ficus "elastica" \\ \u0001\u2028', ''],
    '"name":"Ficus \\"elastica\\" \\\\ \\u0001\u2028","tag":""',
  ],
  [[0n, 'Café 🌱 \u{10FFFF}', 'a\nb'], '"name":"Café 🌱 \u{10FFFF}","tag":"a\\nb"'],
  ...Array.from({ length: 2_500 }, (_, index): [Row, string] => {
    const id = BigInt(index + 1) * 3_000_000_000_001n;
    return [[id, `plant ${id}`, null], `"name":"plant ${id}"`];
  }),
  [[9007199254740993n, '\uFEFF', 'tag'], '"name":"\uFEFF","tag":"tag"'],
  [[9223372036854775807n, 'Monstera', null], '"name":"Monstera"'],
];

it('writes every plant exactly, sorted by id, so that an import recreates the store on either engine', async () => {
  const { folder, run } = useCommands();
  await fillStore(folder, rows.map(([row]) => row).toReversed());
  const text = rows.map(([[id], texts]) => `{"id":${id},${texts},"addedAt":null}\n`).join('');
  expect(await run('export')).toEqual(succeeded(text, '2505 plants exported.\n'));
  expect(await run('export --output plants.ndjson')).toMatchObject({ exitCode: 0, stdout: '' });
  expect(readFileSync(join(folder, 'plants.ndjson'), 'utf8')).toBe(text);

  for (const DATABASE_URL of ['file:other.db', await createDatabase(inject('postgresqlUrl'))]) {
    const other = useCommands({ DATABASE_URL }, folder);
    for (const counts of ['2505 imported, 0 already there', '0 imported, 2505 already there'])
      expect(await other.run('import plants.ndjson')).toEqual(succeeded('', `${counts}, 0 bad\n`));
    const { stdout } = await other.run('export');
    // Those that had no time got that of the import.
    const withoutTimes = stdout.replaceAll(/"addedAt":"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"addedAt":null');
    expect(withoutTimes).toBe(text);
  }
});
