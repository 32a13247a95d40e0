import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createCitusSchema } from '../support/postgresql/citus-cluster.js';
import { runCommand } from '../support/process/run-command.js';

const count = 20_000;
const names = ['Fern', 'Büschelfarn', '苔', '🌱 Sämling', 'Черника', 'نيم', 'a\u0301', 'Ficus "x"\\'];

/** The ids are spread over all int64, in clusters, and consecutive. */
function idOf(index: number): bigint {
  const spread = BigInt.asIntN(64, BigInt(index + 1) * 0x9e3779b97f4a7c15n);
  if (index % 3 === 0) return spread;
  return index % 3 === 1 ? ((spread >> 52n) << 52n) + BigInt(index) : 5_000_000_000n + BigInt(index);
}

function lineOf(index: number): string {
  // Some plants are larger than what a page has for each, and some than a whole page.
  const long = index % 5_000 === 4_999 ? 1_000_000 : index % 500 === 499 ? 20_000 : 0;
  const name = JSON.stringify(`${names[index % names.length]} ${index}${'x'.repeat(long)}`);
  const tag = index % 2 === 0 ? '' : `,"tag":${JSON.stringify(names[index % 7])}`;
  return `{"id":${idOf(index)},"name":${name}${tag}}\n`;
}

it('exports exactly what SQLite does, and imports again what is there already', async () => {
  const { url, call } = await createCitusSchema();
  const { folder } = call;
  const lines = Array.from({ length: count }, (_, index) => lineOf(index));
  writeFileSync(join(folder, 'plants.ndjson'), lines.join(''));
  const databases = { sqlite: `file:${join(folder, 'plant-store.db')}`, citus: url };
  const run = async (databaseUrl: string, ...parameters: string[]) => {
    const environment = { DATABASE_URL: databaseUrl, BODY_MAX_BYTES: `${2 ** 21}` };
    const result = await runCommand(parameters, { folder, environment });
    expect(result).toMatchObject({ exitCode: 0 });
    return result.stderr;
  };
  await run(databases.citus, 'migrate', '--distribute', '4');
  for (const [name, databaseUrl] of Object.entries(databases)) {
    for (const counts of [`${count} imported, 0 already there`, `0 imported, ${count} already there`])
      expect(await run(databaseUrl, 'import', 'plants.ndjson')).toBe(`${counts}, 0 bad\n`);
    await run(databaseUrl, 'export', '--output', `${name}.ndjson`);
  }
  // Each import has its own time.
  const [sqlite, citus] = ['sqlite', 'citus'].map((name) =>
    readFileSync(join(folder, `${name}.ndjson`), 'utf8').replaceAll(/,"addedAt":"[^"]*"/g, ''),
  );
  expect(sqlite?.toString().split('\n')).toHaveLength(count + 1);
  const digestOf = (content = '') => createHash('sha256').update(content).digest('hex');
  expect(digestOf(citus)).toBe(digestOf(sqlite));
});
