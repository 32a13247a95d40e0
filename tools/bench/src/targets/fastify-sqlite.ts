import bearerAuth from '@fastify/bearer-auth';
import { fastify } from 'fastify';
import { openDurableSqlite } from './durable-sqlite.js';
import { portOf } from './http-server.js';
import { serveAsTarget } from './serve-target.js';

interface NewPlant {
  id: number;
  name: string;
  tag?: string;
}

const text = { type: 'string' };

const schema = {
  body: {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: { type: 'integer' }, name: text, tag: text },
  },
  // Fastify serializes replies by this schema.
  response: { 200: { type: 'object', properties: { name: text, tag: text } } },
};

const storedPlant = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: text, tag: { ...text, nullable: true } },
};
const page = { type: 'object', properties: { plants: { type: 'array', items: storedPlant } } };

/** Fastify and better-sqlite3: a JSON schema for body and reply, its own bearer plugin, one prepared insert a request. */
await serveAsTarget(async ({ databaseUrl, token }) => {
  const database = openDurableSqlite(databaseUrl);
  const insert = database.prepare<[number, string, string | null]>(
    'INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)',
  );

  // No request log, which is Fastify's default. No coercion, so that "1" is rejected as an id, as by the others.
  const app = fastify({ logger: false, ajv: { customOptions: { coerceTypes: false } } });
  await app.register(bearerAuth, { keys: new Set([token]) });
  app.post<{ Body: NewPlant }>('/plants', { schema }, async (request) => {
    const { id, name, tag } = request.body;
    insert.run(id, name, tag ?? null);
    return { name, tag };
  });

  const select = database.prepare<[number]>('SELECT id, name, tag FROM plants WHERE id = ?');
  app.get<{ Params: { id: string } }>(
    '/plants/:id',
    { schema: { response: { 200: storedPlant } } },
    async (request) => select.get(Number(request.params.id)),
  );
  const selectPage = database.prepare<[number]>('SELECT id, name, tag FROM plants ORDER BY id LIMIT ?');
  app.get<{ Querystring: { limit: string } }>(
    '/plants',
    { schema: { response: { 200: page } } },
    async (request) => ({
      plants: selectPage.all(Number(request.query.limit)),
    }),
  );
  const insertAll = database.transaction((plants: readonly NewPlant[]) => {
    for (const { id, name, tag } of plants) insert.run(id, name, tag ?? null);
  });
  const batch = {
    body: {
      type: 'object',
      required: ['plants'],
      properties: { plants: { type: 'array', items: schema.body } },
    },
  };
  app.post<{ Body: { plants: NewPlant[] } }>('/plants/batch', { schema: batch }, async (request) => {
    insertAll(request.body.plants);
    return { results: request.body.plants.map(() => ({ status: 200, replayed: false })) };
  });

  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    port: await portOf(app.server),
    async stop() {
      await app.close();
      database.close();
    },
  };
});
