import { initContract } from '@ts-rest/core';
import { createExpressEndpoints, initServer } from '@ts-rest/express';
import express, { type RequestHandler } from 'express';
import { z } from 'zod';
import { portOf, stopHttpServer } from './http-server.js';
import { openPrisma } from './open-prisma.js';
import { serveAsTarget } from './serve-target.js';

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
await serveAsTarget(async ({ databaseUrl, token }) => {
  const prisma = await openPrisma(databaseUrl);

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
