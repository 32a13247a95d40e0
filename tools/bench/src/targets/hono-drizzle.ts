import { serve } from '@hono/node-server';
import { zValidator } from '@hono/zod-validator';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { Hono } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { z } from 'zod';
import { openDurableSqlite } from './durable-sqlite.js';
import { settings } from './settings.js';

const { databaseUrl, token, port, host } = settings;

const plants = sqliteTable('plants', {
  id: integer('id').primaryKey(),
  name: text('name').notNull(),
  tag: text('tag'),
});

const NewPlantSchema = z.object({ id: z.int(), name: z.string(), tag: z.string().optional() });

/** Hono with its zod validator and bearer middleware, and Drizzle on better-sqlite3: one prepared insert per request. */
const insert = drizzle({ client: openDurableSqlite(databaseUrl) })
  .insert(plants)
  .values({ id: sql.placeholder('id'), name: sql.placeholder('name'), tag: sql.placeholder('tag') })
  .prepare();

const app = new Hono();
app.use(bearerAuth({ token }));
app.post('/plants', zValidator('json', NewPlantSchema), (context) => {
  const { id, name, tag } = context.req.valid('json');
  insert.run({ id, name, tag: tag ?? null });
  return context.json({ name, tag });
});
serve({ fetch: app.fetch, port, hostname: host });
