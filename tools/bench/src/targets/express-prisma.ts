import { initContract } from '@ts-rest/core';
import { createExpressEndpoints, initServer } from '@ts-rest/express';
import express from 'express';
import { z } from 'zod';
import { openPrisma } from './prisma.js';
import { readAfter, settings } from './settings.js';

const { databaseUrl, token, port, host } = settings;

const PlantSchema = z.object({ name: z.string(), tag: z.string().optional() });
const NewPlantSchema = PlantSchema.extend({ id: z.int() });
const StoredPlantSchema = z.object({ id: z.number(), name: z.string(), tag: z.string().nullable() });

const contract = initContract().router({
  createPlant: {
    method: 'POST',
    path: '/plants',
    body: NewPlantSchema,
    responses: { 200: PlantSchema },
  },
  createPlants: {
    method: 'POST',
    path: '/plants/batch',
    body: z.object({ plants: z.array(NewPlantSchema) }),
    responses: { 200: z.object({ results: z.array(z.object({ status: z.int(), replayed: z.boolean() })) }) },
  },
  getPlant: {
    method: 'GET',
    path: '/plants/:id',
    pathParams: z.object({ id: z.coerce.bigint() }),
    responses: { 200: StoredPlantSchema, 404: z.object({ message: z.string() }) },
  },
  deletePlant: {
    method: 'DELETE',
    path: '/plants/:id',
    pathParams: z.object({ id: z.coerce.bigint() }),
    responses: { 204: z.undefined() },
  },
  listPlants: {
    method: 'GET',
    path: '/plants',
    query: z.object({ limit: z.coerce.number(), after: z.string().optional() }),
    responses: { 200: z.object({ plants: z.array(StoredPlantSchema) }) },
  },
});

/** Express, ts-rest, and Prisma as in their documentation: express.json, and one `plant.create` per request. */
const prisma = await openPrisma(databaseUrl);
const router = initServer().router(contract, {
  createPlant: async ({ body: { id, name, tag } }) => {
    await prisma.plant.create({ data: { id, name, tag: tag ?? null } });
    return { status: 200, body: tag === undefined ? { name } : { name, tag } };
  },
  createPlants: async ({ body: { plants } }) => {
    await prisma.plant.createMany({
      data: plants.map(({ id, name, tag }) => ({ id, name, tag: tag ?? null })),
    });
    return { status: 200, body: { results: plants.map(() => ({ status: 200, replayed: false })) } };
  },
  getPlant: async ({ params: { id } }) => {
    const plant = await prisma.plant.findUnique({ where: { id } });
    if (plant === null) return { status: 404, body: { message: 'Not Found' } };
    return { status: 200, body: { ...plant, id: Number(plant.id) } };
  },
  deletePlant: async ({ params: { id } }) => {
    await prisma.plant.delete({ where: { id } });
    return { status: 204, body: undefined };
  },
  listPlants: async ({ query: { limit, after } }) => {
    const where = { id: { gt: readAfter(after) } };
    const plants = await prisma.plant.findMany({ where, orderBy: { id: 'asc' }, take: limit });
    return { status: 200, body: { plants: plants.map((plant) => ({ ...plant, id: Number(plant.id) })) } };
  },
});

const app = express();
app.use((request, response, next) => {
  if (request.headers.authorization === `Bearer ${token}`) next();
  else response.status(401).json({ message: 'Unauthorized' });
});
app.use(express.json());
createExpressEndpoints(contract, router, app, { logInitialization: false });
app.listen(port, host);
