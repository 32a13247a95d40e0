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

  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    port: await portOf(app.server),
    async stop() {
      await app.close();
      database.close();
    },
  };
});
