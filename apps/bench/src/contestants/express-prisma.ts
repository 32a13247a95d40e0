import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { initContract } from '@ts-rest/core';
import { createExpressEndpoints, initServer } from '@ts-rest/express';
import express, { type RequestHandler } from 'express';
import { z } from 'zod';
import { durablePragmas, openDurableSqlite } from './durable-sqlite.js';
import { PrismaClient } from './generated/client.js';
import { portOf, stopHttpServer } from './http-server.js';
import { serveAsContestant } from './serve-as-contestant.js';

const PlantSchema = z.object({ name: z.string(), tag: z.string().optional() });

const contract = initContract().router({
  createPlant: {
    method: 'POST',
    path: '/plants',
    body: PlantSchema.extend({ id: z.int() }),
    responses: { 200: PlantSchema },
  },
});

/** Express, ts-rest and Prisma as their documentation shows them: express.json and one `plant.create` a request. */
await serveAsContestant(async ({ databasePath, token }) => {
  openDurableSqlite(databasePath).close();
  const prisma = new PrismaClient({ adapter: durableAdapter(databasePath) });
  await prisma.$connect();

  const app = express();
  app.use(requireToken(token));
  app.use(express.json());
  const router = initServer().router(contract, {
    createPlant: async ({ body: { id, name, tag } }) => {
      await prisma.plant.create({ data: { id, name, tag: tag ?? null } });
      return { status: 200, body: tag === undefined ? { name } : { name, tag } };
    },
  });
  createExpressEndpoints(contract, router, app, { logInitialization: false });

  const server = app.listen(0, '127.0.0.1');
  return {
    port: await portOf(server),
    async stop() {
      await stopHttpServer(server);
      await prisma.$disconnect();
    },
  };
});

function requireToken(token: string): RequestHandler {
  const expected = `Bearer ${token}`;
  return (request, response, next) => {
    if (request.headers.authorization === expected) next();
    else response.status(401).json({ message: 'Unauthorized' });
  };
}

/** Prisma's adapter, with the durability set on the very connection that commits. */
function durableAdapter(path: string): SqlDriverAdapterFactory {
  const factory = new PrismaBetterSqlite3({ url: `file:${path}` });
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect() {
      const connection = await factory.connect();
      await connection.executeScript(durablePragmas);
      return connection;
    },
  };
}
