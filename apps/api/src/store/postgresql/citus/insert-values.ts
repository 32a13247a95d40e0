import { columnTypes, type Table } from '../../table.js';
import type { InsertStatement } from '../postgresql-store.js';

/** The most rows whose statement is prepared: of larger batches that costs more than it saves. */
const preparedRows = 64;

/** An insert with a list of values: Citus finds the shards of these, but not of what `unnest` returns. */
export function createInsertOfValues<Fields>({
  name,
  fields,
  fieldColumns,
  toColumns,
}: Table<Fields>): InsertStatement<Fields> {
  const types = ['bigint', ...fields.map(({ kind }) => columnTypes.postgresql[kind]), 'text', 'bigint'];
  const start = `INSERT INTO ${name} (${['id', ...fieldColumns, 'added_by', 'added_at']}) VALUES`;
  const valuesOf = (_: unknown, row: number) =>
    `(${types.map((type, at) => `$${types.length * row + at + 1}::${type}`)})`;
  return {
    compose(records, now) {
      const isPrepared = records.length <= preparedRows;
      return {
        sql: `${start} ${records.map(valuesOf)} ON CONFLICT (id) DO NOTHING RETURNING id`,
        args: records.flatMap((record) => {
          const { id, addedAt = now, addedBy = null } = record;
          return [id, ...toColumns(record), addedBy, addedAt];
        }),
        name: isPrepared ? `insert_${records.length}_${name}` : undefined,
      };
    },
  };
}
