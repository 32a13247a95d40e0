import { toOneDestination as routeToOne } from '../../../plants/routing.js';
import { clearArguments, integers, texts } from '../../queries/query-arguments.js';
import { toRow } from '../../queries/resolve-insert-outcomes.js';
import { withDurable } from '../durable-read.js';
import type { InsertStrategy } from './insert-strategy.js';

/** Inserts the plants whose id is free and returns their ids. Its parameters are arrays of the ids, names and tags. */
export const insertPlants = `
  INSERT INTO plants (id, name, tag) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])
  ON CONFLICT (id) DO NOTHING RETURNING id`;

/**
 * The strategy of one PostgreSQL: one statement for any number of plants.
 *
 * @param inserts how many inserts may be in flight
 */
export function toOneDestination(inserts: number): InsertStrategy {
  return {
    routing: routeToOne(inserts),
    async insert(connections, plants) {
      const query = {
        sql: insertPlants,
        args: [
          plants.map(({ id }) => id),
          plants.map(({ name }) => name),
          plants.map(({ tag }) => tag ?? null),
        ],
        argTypes: [integers, texts, texts],
      };
      const { rows } = await clearArguments(query, (statement) => connections.queryRaw(statement));
      return rows.map(([id]) => BigInt(String(id)));
    },
    async find(connections, ids) {
      const { rows } = await connections.queryRaw({
        sql: `${withDurable} SELECT id, name, tag FROM durable, plants WHERE id = ANY($1::bigint[])`,
        args: [ids],
        argTypes: [integers],
      });
      return rows.map(toRow);
    },
  };
}
