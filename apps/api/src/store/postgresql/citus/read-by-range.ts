import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { type PlantRecord, plantTable } from '../../../plants/plant-store.js';
import { integer, integers, type QueryWrapper } from '../../queries.js';
import type { PageLimits } from '../../store.js';

/** A plant whose texts are read separately if they are long. */
interface MeasuredPlant {
  readonly id: bigint;
  /** Of its texts, in UTF-8. */
  readonly bytes: number;
  readonly plant: PlantRecord | undefined;
}

/**
 * Reads all plants after an id from a table that is distributed by the hash of the id; see `Store`.
 *
 * Every shard has plants of a page, and each sends as many as the whole page may have, since it does not know how many are in
 * the others. So a query asks for a range of ids that has about a page of plants: then all shards together send one page.
 */
export async function* readByRange(
  connections: SqlDriverAdapter,
  run: QueryWrapper,
  after: bigint | undefined,
  limits: PageLimits,
): AsyncGenerator<readonly PlantRecord[]> {
  let range = rangeAfter(after);
  while (range !== undefined) {
    const asked = range;
    const found = await run(() => readRange(connections, asked, limits));
    for (const part of divide(found, limits.bytes)) {
      const page = await complete(part, (ids) => run(() => readPlants(connections, ids)));
      if (page.length > 0) yield page;
    }
    const isFull = found.length === limits.plants;
    const continueAfter = isFull ? found.at(-1)?.id : undefined;
    range = nextRange(asked, { count: found.length, continueAfter }, limits.plants);
  }
}

/**
 * Reads the first plants of a range, as many as a page may have, without the texts that are longer than the part of the page
 * that each plant has: so many of these would not fit into memory. PostgreSQL measures texts without reading them.
 */
async function readRange(
  connections: SqlDriverAdapter,
  { first, last }: IdRange,
  { plants, bytes }: PageLimits,
): Promise<readonly MeasuredPlant[]> {
  const longest = Math.floor(bytes / plants);
  const { rows } = await connections.queryRaw({
    sql: `
      SELECT ${columns.map(unlessLong).join(', ')}, bytes FROM (
        SELECT ${columns.join(', ')}, ${plantTable.bytes} AS bytes FROM ${plantTable.name} WHERE id BETWEEN $1 AND $2
      ) AS measured ORDER BY id LIMIT $3`,
    args: [first, last, BigInt(plants), BigInt(longest)],
    argTypes: [integer, integer, integer, integer],
  });
  return rows.map((row) => {
    const plant = plantTable.toRecord(row);
    const size = Number(row[columns.length]);
    return { id: plant.id, bytes: size, plant: size > longest ? undefined : plant };
  });
}

const { columns, texts } = plantTable;

const unlessLong = (column: string) =>
  texts.includes(column) ? `CASE WHEN bytes <= $4 THEN ${column} END` : column;

/** Divides plants into parts that have at most so many bytes, or one plant. */
function* divide(plants: readonly MeasuredPlant[], maxBytes: number): Generator<readonly MeasuredPlant[]> {
  let part: MeasuredPlant[] = [];
  let total = 0;
  for (const plant of plants) {
    if (part.length > 0 && total + plant.bytes > maxBytes) {
      yield part;
      part = [];
      total = 0;
    }
    part.push(plant);
    total += plant.bytes;
  }
  if (part.length > 0) yield part;
}

/** Reads the plants whose texts are missing. One that was deleted since is left out. */
async function complete(
  part: readonly MeasuredPlant[],
  read: (ids: readonly bigint[]) => Promise<readonly PlantRecord[]>,
): Promise<readonly PlantRecord[]> {
  const missing = part.flatMap(({ id, plant }) => (plant === undefined ? id : []));
  const found = missing.length === 0 ? [] : await read(missing);
  const byId = new Map(found.map((plant) => [plant.id, plant]));
  return part.flatMap(({ id, plant }) => plant ?? byId.get(id) ?? []);
}

async function readPlants(
  connections: SqlDriverAdapter,
  ids: readonly bigint[],
): Promise<readonly PlantRecord[]> {
  const { rows } = await connections.queryRaw({
    sql: `SELECT ${columns.join(', ')} FROM ${plantTable.name} WHERE id = ANY($1::bigint[])`,
    args: [ids],
    argTypes: [integers],
  });
  return rows.map(plantTable.toRecord);
}

/** The ids from the first to the last, both included. */
interface IdRange {
  readonly first: bigint;
  readonly last: bigint;
}

/** What was found in a range: the lowest ids in it, in ascending order. */
interface FoundIds {
  readonly count: number;
  /** The last one, if there may be more in the range. */
  readonly continueAfter: bigint | undefined;
}

/** How many times wider than the ids just read the next range may be: few queries lead through any gap. */
const maxGrowth = 256n;

/** All ids after one; `undefined` if there are none. */
export function rangeAfter(id: bigint | undefined): IdRange | undefined {
  return toRange(id === undefined ? INT64_MIN : id + 1n, INT64_MAX);
}

/**
 * The range to read after another one, as wide as the ids of a page would be if they went on as in the former. Ids may be
 * dense in one place and sparse in the next, so that a range has more or fewer than expected: with more it is read up to a
 * page, after which the next one is narrow.
 *
 * @param pageSize how many ids are read from a range at most
 * @returns `undefined` when all ids have been read
 */
export function nextRange(
  range: IdRange,
  { count, continueAfter }: FoundIds,
  pageSize: number,
): IdRange | undefined {
  const end = continueAfter ?? range.last;
  const width = end - range.first + 1n;
  const maxWidth = width * maxGrowth;
  const expected = count === 0 ? maxWidth : (width * BigInt(pageSize)) / BigInt(count);
  return toRange(end + 1n, end + (expected < maxWidth ? expected : maxWidth));
}

/** The range without what is beyond an int64; `undefined` if that is all of it. */
function toRange(first: bigint, last: bigint): IdRange | undefined {
  if (first > INT64_MAX) return undefined;
  return { first, last: last < INT64_MAX ? last : INT64_MAX };
}
