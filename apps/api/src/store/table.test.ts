import { INT64_MIN } from '@plant-store/contract';
import { resources } from '@plant-store/contract/resources';
import { isTombstone } from '@plant-store/records';
import { describe, expect, it } from 'vitest';
import { gardens } from '../../../../packages/records/test/garden.js';
import { createTestDatabase, openTestDatabase } from '../../test/support/database/create-test-database.js';
import { engines } from '../../test/support/database/engines.js';
import { forgetGardens, garden } from '../../test/support/database/use-stores.js';
import { insertTrialSql, literalOf, tableOf } from './table.js';

forgetGardens();

const { plant } = resources;
const table = tableOf<(typeof gardens)[0]>(garden);

it('names columns in snake case, and quotes them in case they are SQL keywords', () => {
  expect(table.columns).toEqual([
    'id',
    '"name"',
    '"area"',
    '"is_open"',
    '"planted_at"',
    '"plant_ids"',
    'added_at',
    'original',
    'deleted',
  ]);
});

it.each([0, 1, 2] as const)('reads what it has made columns of, as either engine returns it (%i)', (at) => {
  const values = table.toColumns(gardens[at]);
  expect(values.map((value) => typeof value)).not.toContain('undefined');
  const asText = values.map((value, place) =>
    table.fields[place]?.kind === 'boolean' || value === null ? value && value === 1 : String(value),
  );
  for (const row of [values, asText])
    expect(table.toRecord([`${at}`, ...row, null, null, false])).toEqual({ ...gardens[at], id: BigInt(at) });
});

it('reads a tombstone of any kind of fields', () => {
  const record = table.toRecord([1n, ...table.erased, null, null, 1n]);
  expect(record).toEqual({ id: 1n, deleted: true });
  expect(isTombstone(record)).toBe(true);
  expect(table.erased).toEqual(['', null, 0, null, '[]']);
  const literals = table.fields.map((field) => literalOf(field, field.erased));
  expect(literals).toEqual(["''", 'NULL', 'false', 'NULL', "'[]'"]);
});

it('counts the bytes of texts and lists, and 8 for each other field', () => {
  expect(gardens.map(table.bytesOf)).toEqual([
    ...['Orchard[7,9223372036854775807,-1]', '🌱 "Hill"[7,7]', '[]'].map(
      (texts) => Buffer.byteLength(texts) + 3 * 8,
    ),
  ]);
  expect(tableOf(plant).bytesOf({ name: 'é', tag: 'x' } as object)).toBe(3);
});

describe.each(engines)('on %s', (engine) => {
  it('measures a row as the service does, and inserts a trial of any resource', async () => {
    const database = await createTestDatabase(engine, [garden]);
    const opened = await openTestDatabase(database, {}, {}, { tables: [table] });
    const writes = gardens.map((fields, id) => ({
      resource: 'garden',
      record: { ...fields, id: BigInt(id) },
    }));
    await opened.write(writes);
    await opened.probeCommit();
    await opened.close();
    const rows = await database.query<{ bytes: unknown }>(
      `SELECT ${table.bytes} AS bytes FROM gardens ORDER BY id`,
    );
    expect(rows.map(({ bytes }) => Number(bytes))).toEqual(gardens.map(table.bytesOf));
    await database.query(insertTrialSql(table, [INT64_MIN]));
    expect(await database.query('SELECT id FROM gardens')).toHaveLength(4);
    await database.remove();
  });

  /** The columns and indexes of tables in the catalog, by name. */
  const catalog = {
    sqlite: `SELECT name, type, "notnull" AS required, dflt_value AS value FROM pragma_table_info('$')
      UNION SELECT 'index', replace(replace(sql, '$', 't'), '  ', ' '), 0, NULL FROM sqlite_schema WHERE tbl_name = '$' AND sql LIKE 'CREATE INDEX%'
      UNION SELECT 'strict', strict, 0, NULL FROM pragma_table_list('$') ORDER BY 1, 2`,
    postgresql: `SELECT column_name AS name, data_type AS type, is_nullable AS required, column_default AS value FROM information_schema.columns
        WHERE table_name = '$'
      UNION SELECT 'index', replace(indexdef, '$', 't'), NULL, NULL FROM pg_indexes WHERE tablename = '$' ORDER BY 1, 2`,
  }[engine];

  /** What keeps a history. A field that is added needs a new version of it. */
  const trigger = `SELECT replace(regexp_replace(pg_get_functiondef('keep_$_history'::regproc), 'SET search_path.*?\\n', ''), '$', 't') AS definition
    UNION ALL SELECT replace(pg_get_triggerdef(oid), '$', 't') FROM pg_trigger WHERE tgrelid = '$'::regclass`;

  it('creates a table as the released migrations of plants have left it', async () => {
    const database = await createTestDatabase(engine, [{ ...plant, plural: 'created' }]);
    const [released, created] = [
      await database.query(catalog.replaceAll('$', 'plants')),
      await database.query(catalog.replaceAll('$', 'created')),
    ];
    expect(released.length).toBeGreaterThan(12);
    expect(created).toEqual(released);
    const states = await Promise.all(
      ['plants', 'created'].map(async (name) => [
        ...(await database.query(catalog.replaceAll('$', `${name}_history`))),
        ...(engine === 'postgresql' ? await database.query(trigger.replaceAll('$', name)) : []),
      ]),
    );
    expect(states[0]?.length).toBeGreaterThan(8);
    expect(states[1]).toEqual(states[0]);
    await database.remove();
  });
});
