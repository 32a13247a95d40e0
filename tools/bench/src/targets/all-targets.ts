import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { goSqlite } from './go-sqlite/go-sqlite.js';
import { plantStore } from './plant-store.js';
import type { Target } from './target.js';

const expressPrisma = target({
  name: 'express-prisma',
  title: 'Express + ts-rest + Prisma',
  about: 'Express 5, ts-rest with zod, express.json, one prisma.plant.create a request; no request log.',
  stores: true,
});

const nestPrisma = target({
  name: 'nest-prisma',
  title: 'NestJS + Prisma',
  about:
    'NestJS 12 on its Fastify adapter, a guard, class-validator, one prisma.plant.create a request; no request log.',
  stores: true,
});

/** All targets, in the order of the tables. */
export const allTargets: readonly Target[] = [
  plantStore,
  expressPrisma,
  nestPrisma,
  target({
    name: 'fastify-sqlite',
    title: 'Fastify + better-sqlite3',
    about: 'Fastify 5, JSON schema, its bearer plugin, one prepared insert a request; no request log.',
    stores: true,
  }),
  target({
    name: 'hono-drizzle',
    title: 'Hono + Drizzle',
    about:
      'Hono on Node.js, its zod validator and bearer middleware, one prepared insert a request; no request log.',
    stores: true,
  }),
  goSqlite,
  target({
    name: 'baseline',
    title: 'bare node:http, stores nothing',
    about:
      'The baseline: node:http that parses the JSON and replies; no token check, no validation, no database.',
    stores: false,
  }),
];

/** The targets that also run on PostgreSQL. */
export const postgresqlTargets: readonly Target[] = [plantStore, expressPrisma, nestPrisma];

/** A target whose program is beside this file, under its name. */
function target(description: Omit<Target, 'prepare'>): Target {
  const script = fileURLToPath(new URL(`../../dist/targets/${description.name}.js`, import.meta.url));
  return {
    ...description,
    async prepare(databaseUrl) {
      const token = `pst_${randomBytes(24).toString('hex')}`;
      return { file: process.execPath, args: [script, databaseUrl, token], environment: {}, token };
    },
  };
}
