import bearerAuth from '@fastify/bearer-auth';
import { fastify } from 'fastify';
import { openDurableSqlite } from './durable-sqlite.js';
import { readAfter, settings } from './settings.js';

const { databaseUrl, token, port, host } = settings;

interface NewPlant {
  id: number;
  name: string;
  tag?: string;
}

const text = { type: 'string' };
const id = { type: 'integer' };
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const arrayOf = (items: object) => ({ type: 'array', items });

const newPlant = object({ id, name: text, tag: text }, ['id', 'name']);
const storedPlant = object({ id, name: text, tag: { ...text, nullable: true } });
// Fastify serializes replies by their schema.
const replying = (schema: object) => ({ response: { 200: schema } });

/** Fastify and better-sqlite3: a JSON schema for body and reply, its own bearer plugin, one prepared insert a request. */
const database = openDurableSqlite(databaseUrl);
const insert = database.prepare<[number, string, string | null]>(
  'INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)',
);
const insertAll = database.transaction((plants: readonly NewPlant[]) => {
  for (const { id, name, tag } of plants) insert.run(id, name, tag ?? null);
});
const select = database.prepare<[number]>('SELECT id, name, tag FROM plants WHERE id = ?');
const selectPage = database.prepare<[number, number]>(
  'SELECT id, name, tag FROM plants WHERE id > ? ORDER BY id LIMIT ?',
);

// No request log, which is Fastify's default. No coercion, so that "1" is rejected as an id, as by the others.
const app = fastify({ logger: false, ajv: { customOptions: { coerceTypes: false } } });
await app.register(bearerAuth, { keys: new Set([token]) });

const createSchema = { body: newPlant, ...replying(object({ name: text, tag: text })) };
app.post<{ Body: NewPlant }>('/plants', { schema: createSchema }, async ({ body: { id, name, tag } }) => {
  insert.run(id, name, tag ?? null);
  return { name, tag };
});

const batchSchema = { body: object({ plants: arrayOf(newPlant) }, ['plants']) };
app.post<{ Body: { plants: NewPlant[] } }>('/plants/batch', { schema: batchSchema }, async ({ body }) => {
  insertAll(body.plants);
  return { results: body.plants.map(() => ({ status: 200, replayed: false })) };
});

app.get<{ Params: { id: string } }>('/plants/:id', { schema: replying(storedPlant) }, async ({ params }) =>
  select.get(Number(params.id)),
);

const pageSchema = replying(object({ plants: arrayOf(storedPlant) }));
type PageQuery = { limit: string; after?: string };
app.get<{ Querystring: PageQuery }>('/plants', { schema: pageSchema }, async ({ query }) => ({
  plants: selectPage.all(readAfter(query.after), Number(query.limit)),
}));

const remove = database.prepare<[number]>('DELETE FROM plants WHERE id = ?');
app.delete<{ Params: { id: string } }>('/plants/:id', async ({ params }, reply) => {
  remove.run(Number(params.id));
  return reply.code(204).send();
});

await app.listen({ port, host });
