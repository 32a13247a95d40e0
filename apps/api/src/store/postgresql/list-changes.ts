import { INT64_MIN } from '@plant-store/contract';
import type { ClientBase } from 'pg';
import { OperatorError } from '../../errors/operator-error.js';
import { type ChangePlace, isBeyond, type ListedChanges, type ListLimits, unknownPlace } from '../store.js';
import type { Table } from '../table.js';
import { findDriverError } from './errors.js';
import { durableColumnSql } from './probe-commit.js';
import type { Query } from './run-query.js';

/**
 * Where changes have their places: each is the number of its transaction plus a base. Transactions commit in any order, so only those
 * places are final that are below the oldest one in progress that may change plants.
 */
export interface ChangeNumbers {
  /** SQL for the number of the transaction that it runs in. */
  readonly ofTransaction: string;
  /** A query for the first number that is not final, and the first one that nothing has yet. */
  readonly bounds: string;
}

/**
 * The number after those of all transactions that have ended, and of the oldest one that has written and holds a lock on the table for
 * that, if it is lower: later ones have begun. A statement locks the table before its transaction has a number, and keeps the lock until
 * others see what it has written. Locks have the lower half of a number, which is that nearest to the next one.
 */
const composeBounds = (base: bigint) => `
  WITH next AS (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS number), writer AS (
    SELECT next.number + ((own.transactionid::text::bigint - next.number + ${2 ** 31}) & ${2 ** 32 - 1}) - ${2 ** 31} AS number
    FROM next, pg_catalog.pg_locks AS lock JOIN pg_catalog.pg_locks AS own USING (virtualtransaction)
    WHERE lock.locktype = 'relation' AND lock.relation = 'plants'::regclass AND lock.mode = 'RowExclusiveLock'
      AND lock.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
      AND own.locktype = 'transactionid' AND own.mode = 'ExclusiveLock'
  )
  SELECT least(next.number, (SELECT min(writer.number) FROM writer)) + ${base}, next.number + ${base} FROM next`;

/** What the operator gets to know where the user lacks the privilege, and what to do. */
export const mayNotReadBase = [
  'the user may not SELECT plants_change_base, without which the service does not start',
  'GRANT SELECT, UPDATE ON plants_change_base to the user.',
] as const;

/**
 * Reads the base of the numbers. A database that was restored on another server has larger numbers than that has had transactions, so
 * its base grows beyond them.
 *
 * @throws {OperatorError} when the user lacks a privilege for that
 */
export async function readChangeNumbers(connection: Pick<ClientBase, 'query'>): Promise<ChangeNumbers> {
  try {
    return await readNumbers(connection);
  } catch (error) {
    if (findDriverError(error)?.code !== '42501') throw error;
    const [problem, solution] = mayNotReadBase;
    throw new OperatorError(`The database cannot be used: ${problem}. ${solution}`, { cause: error });
  }
}

async function readNumbers(connection: Pick<ClientBase, 'query'>): Promise<ChangeNumbers> {
  const isPassed = `base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint <= (SELECT max(change_place) FROM plants)`;
  const { rows } = await connection.query(`SELECT base, ${isPassed} AS "isPassed" FROM plants_change_base`);
  if (rows[0]?.isPassed) {
    await connection.query(
      `UPDATE plants_change_base SET base = (SELECT max(change_place) FROM plants) WHERE ${isPassed}`,
    );
    return readNumbers(connection);
  }
  const base = BigInt(rows[0]?.base ?? 0);
  return {
    ofTransaction: `(pg_current_xact_id()::text::bigint + ${base})`,
    bounds: composeBounds(base),
  };
}

/** Lists changes as `Store.listChanges` does, and finds the last one as `Store.lastChange`. */
export function createListChanges<Resource>(
  query: Query,
  { name, columns, changeColumns, bytes, toChange }: Table<Resource>,
  numbers: ChangeNumbers,
) {
  const queryNumbers = async (sql: string) => (await query({ sql })).map((row) => row.map(toBigint));
  const findSql = `
    SELECT ${[...columns, ...changeColumns].join(', ')}, ${durableColumnSql} FROM ${name} WHERE id = ANY($1::bigint[])`;

  /** The places of changes with a number, or of records without one, and where to go on after all that were examined. */
  async function listPlaces(
    after: ChangePlace | undefined,
    { matches, plants, bytes: maxBytes }: ListLimits,
  ) {
    const isNumbered = after?.number !== undefined;
    const count = isNumbered ? matches + 1 : plants;
    const rows = isNumbered
      ? await queryNumbers(`
          SELECT id, change_place, ${bytes} FROM ${name}
          WHERE change_place >= ${after.number} AND (change_place, id) > (${after.number}, ${after.id})
            AND change_place < ${await readNotFinal(after)}
          ORDER BY change_place, id LIMIT ${count}`)
      : await queryNumbers(`
          SELECT id, change_place, ${bytes} FROM ${name}
          ${after === undefined ? '' : `WHERE id > ${after.id}`} ORDER BY id LIMIT ${count}`);
    const places: ChangePlace[] = [];
    let last = after;
    let total = 0n;
    for (const [id = 0n, number, size = 0n] of rows) {
      const isWanted = isNumbered || number === undefined;
      if (isWanted) total += size;
      const isFull = places.length > 0 && total > maxBytes;
      if (places.length === matches || isFull) return { places, last, hasMore: true };
      last = { id, ...(isNumbered && { number: Number(number) }) };
      if (isWanted) places.push(last);
    }
    if (isNumbered || rows.length === count) return { places, last, hasMore: rows.length === count };
    // After those without a number come the others.
    return { places, last: { number: 0, id: INT64_MIN }, hasMore: true };
  }

  async function readNotFinal(after?: ChangePlace): Promise<bigint> {
    const [[notFinal = 0n, next = 0n] = []] = await queryNumbers(numbers.bounds);
    if (isBeyond(after, Number(next) - 1)) throw unknownPlace();
    return notFinal;
  }

  return {
    async listChanges(after: ChangePlace | undefined, limits: ListLimits): Promise<ListedChanges<Resource>> {
      const { places, ...listed } = await listPlaces(after, limits);
      if (places.length === 0) return { changes: [], ...listed };
      const rows = await query({ sql: findSql, args: [places.map(({ id }) => id)] });
      const found = new Map(rows.map(toChange).map((change) => [change.place.id, change]));
      const changes = places.flatMap(({ id, number }) => {
        const change = found.get(id);
        // One that has changed since comes later.
        return change?.place.number === number ? (change ?? []) : [];
      });
      return { changes, ...listed };
    },
    async lastChange(): Promise<ChangePlace | undefined> {
      const [last] = await queryNumbers(`
        SELECT id, change_place FROM ${name} WHERE change_place < ${await readNotFinal()}
        ORDER BY change_place DESC, id DESC LIMIT 1`);
      return last && { id: last[0] ?? 0n, number: Number(last[1]) };
    },
  };
}

function toBigint(value: unknown): bigint | undefined {
  return value === null ? undefined : BigInt(String(value));
}
