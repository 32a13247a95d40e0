import bearerAuth from '@fastify/bearer-auth';
import { fastify } from 'fastify';
import pino from 'pino';
import { openDurableSqlite } from './durable-sqlite.js';
import { createPlantsTable, readAfter, settings } from './settings.js';

const { databaseUrl, token, port, host, options } = settings;

/**
 * Fastify with its bearer plug-in and JSON schemas, on better-sqlite3 or pg. Each write has its own commit. With the option `group-commit`,
 * writes that arrive together share a commit. With the option `log`, Fastify writes its request log.
 */
const storage = databaseUrl.startsWith('file:') ? openSqlite() : await openPostgresql();
const [create, remove] = options.includes('group-commit')
  ? [groupCommit(storage.insert, storage.maxCommits), groupCommit(storage.remove, storage.maxCommits)]
  : [commitEach(storage.insert), commitEach(storage.remove)];

interface NewPlant {
  id: number;
  name: string;
  tag?: string;
}

interface StoredPlant {
  id: number;
  name: string;
  tag: string | null;
}

/** Carries out changes in one transaction. Returns for each whether it changed anything. */
type Commit<Item> = (items: readonly Item[]) => readonly boolean[] | Promise<readonly boolean[]>;

interface Storage {
  /** The maximum number of commits in flight, as in the service. */
  readonly maxCommits: number;
  insert: Commit<NewPlant>;
  remove: Commit<number>;
  get(id: number): StoredPlant | undefined | Promise<StoredPlant | undefined>;
  list(after: number, limit: number): readonly StoredPlant[] | Promise<readonly StoredPlant[]>;
}

/** Returns a function that commits items. Those that arrive in one turn of the event loop, or during a commit, share the next commit. */
function groupCommit<Item>(commit: Commit<Item>, maxInFlight: number) {
  let waiting: { item: Item; resolve(changed: boolean): void; reject(error: unknown): void }[] = [];
  let inFlight = 0;
  async function commitWaiting(): Promise<void> {
    if (inFlight === maxInFlight || waiting.length === 0) return;
    inFlight++;
    const batch = waiting;
    waiting = [];
    try {
      const changed = await commit(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(changed[index] === true);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    inFlight--;
    void commitWaiting();
  }
  return (item: Item) =>
    new Promise<boolean>((resolve, reject) => {
      if (waiting.push({ item, resolve, reject }) === 1) setImmediate(commitWaiting);
    });
}

function commitEach<Item>(commit: Commit<Item>) {
  return async (item: Item) => (await commit([item]))[0] === true;
}

function openSqlite(): Storage {
  const database = openDurableSqlite(databaseUrl);
  const insert = database.prepare<[number, string, string | null]>(
    'INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const remove = database.prepare<[number]>('DELETE FROM plants WHERE id = ?');
  const select = database.prepare<[number], StoredPlant>('SELECT id, name, tag FROM plants WHERE id = ?');
  const selectPage = database.prepare<[number, number], StoredPlant>(
    'SELECT id, name, tag FROM plants WHERE id > ? ORDER BY id LIMIT ?',
  );
  return {
    maxCommits: 1,
    insert: database.transaction((plants: readonly NewPlant[]) =>
      plants.map(({ id, name, tag }) => insert.run(id, name, tag ?? null).changes === 1),
    ),
    remove: database.transaction((ids: readonly number[]) => ids.map((id) => remove.run(id).changes === 1)),
    get: (id) => select.get(id),
    list: (after, limit) => selectPage.all(after, limit),
  };
}

async function openPostgresql(): Promise<Storage> {
  const { default: pg } = await import('pg');
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  // As many connections as the service has by default.
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  await pool.query(createPlantsTable);
  const query = async <Row extends object>(name: string, text: string, values: unknown[]) =>
    (await pool.query<Row>({ name, text, values })).rows;
  /** Returns for each ID whether a statement returned it. A duplicate ID counts only once. */
  const wereReturned = (ids: readonly number[], rows: readonly { id: number }[]) => {
    const returned = new Set(rows.map(({ id }) => id));
    return ids.map((id) => returned.delete(id));
  };
  return {
    maxCommits: 2,
    async insert(plants) {
      const ids = plants.map(({ id }) => id);
      const text = `INSERT INTO plants (id, name, tag) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])
        ON CONFLICT DO NOTHING RETURNING id`;
      const columns = [ids, plants.map(({ name }) => name), plants.map(({ tag }) => tag)];
      return wereReturned(ids, await query('insert', text, columns));
    },
    async remove(ids) {
      return wereReturned(
        ids,
        await query('remove', 'DELETE FROM plants WHERE id = ANY($1) RETURNING id', [ids]),
      );
    },
    async get(id) {
      return (await query<StoredPlant>('get', 'SELECT id, name, tag FROM plants WHERE id = $1', [id]))[0];
    },
    list: (after, limit) =>
      query('list', 'SELECT id, name, tag FROM plants WHERE id > $1 ORDER BY id LIMIT $2', [after, limit]),
  };
}

const text = { type: 'string' };
// A JavaScript number is exact up to 53 bits.
const id = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const arrayOf = (items: object) => ({ type: 'array', items });

const plant = object({ name: text, tag: text });
const newPlant = object({ id, name: text, tag: text }, ['id', 'name']);
const storedPlant = object({ id, name: text, tag: { ...text, nullable: true } });
// Fastify serializes replies by their schema.
const replying = (schema: object) => ({ response: { 200: schema } });

// Buffered instead of line by line, as in production.
const logger = options.includes('log') && { stream: pino.destination({ sync: false, minLength: 4_096 }) };
// No coercion, so that "1" is rejected as an ID, as by the other targets.
const app = fastify({ logger, ajv: { customOptions: { coerceTypes: false } } });
await app.register(bearerAuth, { keys: new Set([token]) });

/** Creates a plant. Returns whether it is new, was stored before, or has the ID of another plant. */
async function store(plant: NewPlant) {
  if (await create(plant)) return 'new';
  const stored = await storage.get(plant.id);
  return stored?.name === plant.name && stored.tag === (plant.tag ?? null) ? 'replayed' : 'taken';
}

const createSchema = { body: newPlant, ...replying(plant) };
app.post<{ Body: NewPlant }>('/plants', { schema: createSchema }, async ({ body }, reply) => {
  const outcome = await store(body);
  if (outcome === 'taken') return reply.code(409).send({ error: 'id_taken' });
  if (outcome === 'replayed') reply.header('idempotent-replayed', 'true');
  return { name: body.name, tag: body.tag };
});

const batchSchema = { body: object({ plants: arrayOf(newPlant) }, ['plants']) };
app.post<{ Body: { plants: NewPlant[] } }>('/plants/batch', { schema: batchSchema }, async ({ body }) => {
  const outcomes = await Promise.all(body.plants.map(store));
  return {
    results: outcomes.map((outcome) => ({
      status: outcome === 'taken' ? 409 : 200,
      replayed: outcome === 'replayed',
    })),
  };
});

app.get<{ Params: { id: string } }>(
  '/plants/:id',
  { schema: replying(storedPlant) },
  async ({ params }, reply) =>
    (await storage.get(Number(params.id))) ?? reply.code(404).send({ error: 'not_found' }),
);

const pageSchema = replying(object({ plants: arrayOf(storedPlant) }));
type PageQuery = { limit: string; after?: string };
app.get<{ Querystring: PageQuery }>('/plants', { schema: pageSchema }, async ({ query }) => ({
  plants: await storage.list(readAfter(query.after), Number(query.limit)),
}));

app.delete<{ Params: { id: string } }>('/plants/:id', async ({ params }, reply) =>
  (await remove(Number(params.id))) ? reply.code(204).send() : reply.code(404).send({ error: 'not_found' }),
);

await app.listen({ port, host });
