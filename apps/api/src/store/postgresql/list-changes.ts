import { INT64_MIN } from '@plant-store/contract';
import {
  beforeNumbers,
  type ChangePosition,
  type ListedChanges,
  type ListLimits,
} from '@plant-store/records';
import type { ClientBase } from 'pg';
import { OperatorError } from '../../errors/operator-error.js';
import { generationSql, requireCurrent } from '../store.js';
import { seqColumn, type Table } from '../table.js';
import { confirmPerRowSql } from './probe-commit.js';
import type { Query } from './run-query.js';

/**
 * SQL for change numbers. The number of a change is the number of its transaction plus a base. Transactions commit in any order, so only
 * the numbers below the oldest transaction that can still change records are final.
 */
export interface ChangeNumbers {
  /** SQL for the change number of the transaction that evaluates it. */
  readonly ofTransaction: string;
  /** A query for the first number that is not final, the first number that is not in use yet, and the generation of the store. */
  readonly bounds: string;
}

/** The table with the base, which all resources share. Released migrations use this name. */
const baseTable = 'plants_change_base';

/**
 * Composes the query for `bounds`. The first number that is not final is that of the oldest transaction that has locked a table for
 * writing, or the next number if there is none: a statement locks the table before its transaction gets a number, and the lock is kept
 * until the changes are visible. `pg_locks` has only the lower 32 bits of a number; the full number is the one closest to the next number.
 */
const composeBounds = (base: bigint, tables: readonly Pick<Table, 'name'>[]) => `
  WITH next AS (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS number), writer AS (
    SELECT next.number + ((own.transactionid::text::bigint - next.number + ${2 ** 31}) & ${2 ** 32 - 1}) - ${2 ** 31} AS number
    FROM next, pg_catalog.pg_locks AS lock JOIN pg_catalog.pg_locks AS own USING (virtualtransaction)
    WHERE lock.locktype = 'relation' AND lock.relation IN (${tables.map(({ name }) => `'${name}'::regclass`).join(', ')}) AND lock.mode = 'RowExclusiveLock'
      AND lock.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
      AND own.locktype = 'transactionid' AND own.mode = 'ExclusiveLock'
  )
  SELECT least(next.number, (SELECT min(writer.number) FROM writer)) + ${base}, next.number + ${base}, ${generationSql} FROM next`;

/** SQL for whether the user has the privileges that the service needs to read change numbers and to invalidate cursors. */
export const mayListChangesSql = `(has_table_privilege('${baseTable}', 'SELECT')
  AND has_table_privilege('store', 'SELECT') AND has_table_privilege('store', 'UPDATE'))`;

export const mayNotListChanges = [
  `the user lacks a required privilege (SELECT on ${baseTable}, or SELECT or UPDATE on the store table), so the service cannot start`,
  `GRANT SELECT, UPDATE ON ${baseTable}, store to the user.`,
] as const;

/**
 * Reads the base, and returns the SQL for change numbers. After a restore on another server, existing numbers can be larger than that
 * server's transaction numbers, so the base is increased by them.
 *
 * @throws {OperatorError} if the user lacks a privilege
 */
export async function readChangeNumbers(
  connection: Pick<ClientBase, 'query'>,
  tables: readonly Table[],
): Promise<ChangeNumbers> {
  const { rows } = await connection.query(`SELECT ${mayListChangesSql} AS "isGranted"`);
  if (!rows[0]?.isGranted) {
    const [problem, solution] = mayNotListChanges;
    throw new OperatorError(`The database cannot be used: ${problem}. ${solution}`);
  }
  return readNumbers(connection, tables);
}

async function readNumbers(
  connection: Pick<ClientBase, 'query'>,
  tables: readonly Table[],
): Promise<ChangeNumbers> {
  const last = `greatest(${tables.map(({ name }) => `(SELECT max(${seqColumn}) FROM ${name})`).join(', ')})`;
  const isBaseTooLow = `base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint <= ${last}`;
  const { rows } = await connection.query(`SELECT base, ${isBaseTooLow} AS "isBaseTooLow" FROM ${baseTable}`);
  if (rows[0]?.isBaseTooLow) {
    await connection.query(`UPDATE ${baseTable} SET base = ${last} WHERE ${isBaseTooLow}`);
    return readNumbers(connection, tables);
  }
  const base = BigInt(rows[0]?.base ?? 0);
  return {
    ofTransaction: `(pg_current_xact_id()::text::bigint + ${base})`,
    bounds: composeBounds(base, tables),
  };
}

/** Creates the functions that list changes as `Store.listChanges` does, and find the last one as `Store.lastChange` does. */
export function createListChanges<Fields>(
  query: Query,
  { name, columns, changeColumns, bytes, toChange }: Table<Fields>,
  numbers: ChangeNumbers,
) {
  const queryNumbers = async (sql: string, args?: readonly unknown[]) =>
    (await query({ sql, ...(args && { args }) })).map((row) =>
      row.map((value) => (value === null ? undefined : BigInt(String(value)))),
    );
  // Each statement finds only rows of one generation, so that no page mixes rows from before and after a restore. The follower gets the
  // omitted rows when it starts over, because its next position has expired.
  const isCurrent = `${generationSql} = $1`;
  const findSql = `
    SELECT ${[...columns, ...changeColumns].join(', ')}, ${confirmPerRowSql} FROM ${name}
    WHERE ${isCurrent} AND id = ANY($2::bigint[])`;

  /** Reads the positions of numbered changes, or of records without a number, and where the next page starts. */
  async function listPositions(after: ChangePosition | undefined, { matches, bytes: maxBytes }: ListLimits) {
    const { notFinal, next, generation } = await readBounds();
    requireCurrent(after, generation, Number(next) - 1);
    const isNumbered = after?.number !== undefined;
    const count = matches + 1;
    const order = isNumbered ? `${seqColumn}, id` : 'id';
    const from = isNumbered
      ? `${seqColumn} >= ${after.number} AND (${seqColumn}, id) > (${after.number}, ${after.id}) AND ${seqColumn} < ${notFinal}`
      : `${seqColumn} IS NULL AND (${after === undefined} OR id > ${after?.id ?? 0})`;
    const sql = `SELECT id, ${seqColumn}, ${bytes} FROM ${name} WHERE ${isCurrent} AND (${from}) ORDER BY ${order} LIMIT ${count}`;
    const rows = await queryNumbers(sql, [generation]);
    const positions: ChangePosition[] = [];
    let last: ChangePosition = { ...(after ?? { id: INT64_MIN }), generation };
    let total = 0n;
    for (const [id = 0n, number, size = 0n] of rows) {
      total += size;
      const isFull = positions.length > 0 && total > maxBytes;
      if (positions.length === matches || isFull) return { positions, last, hasMore: true };
      last = { generation, id, ...(isNumbered && { number: Number(number) }) };
      positions.push(last);
    }
    if (isNumbered || rows.length === count) return { positions, last, hasMore: rows.length === count };
    // Numbered changes come after records without a number.
    return { positions, last: { generation, number: 0, id: INT64_MIN }, hasMore: true };
  }

  async function readBounds() {
    const [[notFinal, next, generation] = []] = await query({ sql: numbers.bounds });
    return { notFinal: String(notFinal), next: String(next), generation: String(generation) };
  }

  return {
    async listChanges(after: ChangePosition | undefined, limits: ListLimits): Promise<ListedChanges<Fields>> {
      const { positions, ...listed } = await listPositions(after, limits);
      if (positions.length === 0) return { changes: [], ...listed };
      const rows = await query({
        sql: findSql,
        args: [listed.last.generation, positions.map(({ id }) => id)],
      });
      const found = new Map(rows.map(toChange).map((change) => [change.position.id, change]));
      const changes = positions.flatMap(({ id, number }) => {
        const change = found.get(id);
        // A record that was changed after its position was read comes later in the list.
        return change?.position.number === number ? (change ?? []) : [];
      });
      return { changes, ...listed };
    },
    async lastChange(): Promise<ChangePosition> {
      const { notFinal, generation } = await readBounds();
      const sql = `
        SELECT id, ${seqColumn} FROM ${name} WHERE ${isCurrent} AND ${seqColumn} < ${notFinal}
        ORDER BY ${seqColumn} DESC, id DESC LIMIT 1`;
      const [[id, number] = []] = await queryNumbers(sql, [generation]);
      return { generation, ...(id === undefined ? beforeNumbers : { id, number: Number(number) }) };
    },
  };
}
