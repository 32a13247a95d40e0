import type { Kind, Resource } from '@plant-store/contract/resource';
import type { DatabaseLocation } from '../src/store/database-location.js';
import { columnTypes, indexConditionSql, originOf, seqColumn, tableOf } from '../src/store/table.js';

type Engine = DatabaseLocation['engine'];

/**
 * The statements that create the tables of a resource, for a migration that a developer commits. Released migrations have created and
 * changed the tables of plants, so their columns are in another order.
 */
export function createSql(engine: Engine, resource: Resource): string {
  const { name, states, fields } = tableOf(resource);
  const types = columnTypes[engine];
  const isSqlite = engine === 'sqlite';
  const fieldColumns = fields.map(
    ({ column, kind, required }) => `${column} ${types[kind]}${required ? ' NOT NULL' : ''}`,
  );
  const seq = `"${seqColumn}" ${types.int64}`;
  const tables = [
    createTable(isSqlite, name, [
      `"id" ${types.int64} NOT NULL${isSqlite ? ' PRIMARY KEY' : ''}`,
      ...fieldColumns,
      `"added_at" ${types.time}`,
      `"deleted" ${types.boolean} NOT NULL DEFAULT ${isSqlite ? '0' : 'false'}`,
      `"original" ${types.text}`,
      `"changed_at" ${types.time}`,
      seq,
      `"added_by" ${types.text}`,
      `"changed_by" ${types.text}`,
      ...(isSqlite ? [] : [`CONSTRAINT "${name}_pkey" PRIMARY KEY ("id")`]),
    ]),
    ...indexesOf(isSqlite, resource, types),
    // On SQLite, the place of a state is the number of the change that has replaced it.
    createTable(isSqlite, states, [
      `"history_place" ${types.int64} ${isSqlite ? '' : 'GENERATED ALWAYS AS IDENTITY '}NOT NULL PRIMARY KEY`,
      `"id" ${types.int64} NOT NULL`,
      ...fieldColumns,
      seq,
      `"changed_at" ${types.time}`,
      `"changed_by" ${types.text}`,
      `"replaced_at" ${types.time} NOT NULL`,
    ]),
  ];
  if (isSqlite) return `${tables.join('\n\n')}\n`;
  const stateIndex = `CREATE INDEX "${states}_id_idx" ON "${states}"("id", "history_place");`;
  return [...tables, stateIndex, triggerSql(resource)].join('\n\n');
}

const createTable = (isSqlite: boolean, name: string, parts: readonly string[]) =>
  `CREATE TABLE "${name}" (\n${parts.map((part) => `    ${part}`).join(',\n')}\n)${isSqlite ? ' STRICT' : ''};`;

function indexesOf(isSqlite: boolean, resource: Resource, types: (typeof columnTypes)[Engine]) {
  const { name, fields } = tableOf(resource);
  const index = (of: string, on: string, where?: string) =>
    `CREATE INDEX "${name}_${of}_idx" ON "${name}"(${on})${where === undefined ? '' : ` WHERE ${where}`};`;
  const isIndexed = (column: string, kind: Kind) =>
    isSqlite || types[kind] !== 'TEXT' ? '' : ` AND ${indexConditionSql(column)}`;
  return [
    index('added_at', isSqlite ? '"added_at"' : '"added_at" NULLS FIRST'),
    index(seqColumn, `"${seqColumn}"`, `"${seqColumn}" IS NOT NULL`),
    ...fields
      .filter(({ field }) => resource.fields[field]?.filter)
      .map(({ column, kind }) =>
        index(
          column.replaceAll('"', ''),
          // On SQLite, an entry of an index ends with the id.
          `${column}, "added_at"${isSqlite ? '' : ', "id"'}`,
          `NOT "deleted"${isIndexed(column, kind)}`,
        ),
      ),
    ...(isSqlite ? [index('deleted', '"id"', '"deleted"')] : []),
    index('unnumbered', '"id"', `"${seqColumn}" IS NULL`),
  ];
}

/** The statements that create the trigger that keeps replaced states on PostgreSQL, or replace it after a field was added. */
export function triggerSql(resource: Resource): string {
  const { name, states, fieldColumns } = tableOf(resource);
  const listOf = (row: string) => fieldColumns.map((column) => `${row}.${column}`).join(', ');
  const [since, by] = originOf('OLD.');
  return `CREATE OR REPLACE FUNCTION "keep_${states}"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF OLD.deleted OR NEW.deleted THEN
    DELETE FROM "${states}" WHERE id = OLD.id;
  ELSIF current_setting('plant_store.keeps_history', true) IS DISTINCT FROM 'off' THEN
    INSERT INTO "${states}" (id, ${fieldColumns.join(', ')}, ${seqColumn}, changed_at, changed_by, replaced_at)
    VALUES (OLD.id, ${listOf('OLD')}, OLD.${seqColumn},
      ${since},
      ${by},
      coalesce(NEW.changed_at, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint));
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER "keep_${states}" AFTER UPDATE ON "${name}" FOR EACH ROW
WHEN (OLD.deleted <> NEW.deleted OR (${listOf('OLD')}) IS DISTINCT FROM (${listOf('NEW')}))
EXECUTE FUNCTION "keep_${states}"();
`;
}
