import {
  isFiltered,
  isTombstone,
  type Listed,
  type ListLimits,
  type ListQuery,
  withoutTombstones,
} from '@plant-store/records';
import type { Table } from '../table.js';
import { orders } from './list-ids.js';
import { durableOnceSql } from './probe-commit.js';
import type { Query, Statement } from './run-query.js';

/** The most records of such a page. Its statement is planned for as many, whatever its page has, and is read only as far as needed. */
const longestPage = 1_000;

/**
 * Creates a function that lists a page of all records, of one server, by one statement whose plan each connection keeps; `undefined`
 * if it has a filter, more records, a tombstone, or a first record that is too large. A row that is not of the page any more shows that
 * there is a next one.
 */
export function createListPage<Fields>(query: Query, { name, columns, bytes, toRecord }: Table<Fields>) {
  const selected = columns.join(', ');

  /** Reads the first row with which the page would have too many bytes, too, and no further one. */
  function compose({ order, after }: ListQuery, rows: number, maxBytes: number): Statement {
    const { of, after: isAfter, by } = orders[order];
    const position = [after?.id, order === 'newest' ? after?.addedAt : undefined];
    return {
      sql: `
        SELECT ${selected}, CASE WHEN total > $2 THEN true END AS exceeds FROM (
          SELECT *, sum(bytes) OVER (ORDER BY ${by} ROWS UNBOUNDED PRECEDING) AS total FROM (
            SELECT ${selected}, ${bytes} AS bytes FROM ${name}
            WHERE ${of}${after === undefined ? '' : ` AND ${isAfter('$3', '$4')}`} ORDER BY ${by} LIMIT ${longestPage + 1}
          ) AS next
        ) AS page WHERE total - bytes <= $2 AND ${durableOnceSql} IS NOT FALSE ORDER BY ${by} LIMIT $1`,
      args: [rows, maxBytes, ...position.filter((value) => value !== undefined)],
      name: `list_${order}${after === undefined ? '' : '_after'}_${name}`,
    };
  }

  return async function listPage(
    list: ListQuery,
    { matches, records: examined, bytes }: ListLimits,
  ): Promise<Listed<Fields> | undefined> {
    const length = Math.min(matches, examined);
    if (isFiltered(list) || length > longestPage) return undefined;
    const rows = await query(compose(list, length + 1, bytes));
    const records = rows.map(toRecord);
    const exceeds = (at: number) => rows[at]?.[columns.length] === true;
    if (records.some(isTombstone) || exceeds(0)) return undefined;
    const page = withoutTombstones(records.filter((_, at) => at < length && !exceeds(at)));
    const end = page.length < records.length ? page.at(-1) : undefined;
    return { records: page, last: end && { id: end.id, addedAt: end.addedAt ?? undefined } };
  };
}
