import type { FillIn } from './fill-ins.js';

const notFound = `\`No plant has the id \${id}.\``;

/** What a person adds for `getPlant`: its meaning, in the service and in the fake, and what its tests expect. */
export const getPlantFillIns: readonly FillIn[] = [
  {
    file: 'apps/api/src/plants/get-plant.ts',
    generated: `export async function getPlant(_store: PlantStore, _id: bigint): Promise<Plant> {
  throw new Error('getPlant is not implemented');
}`,
    replacement: `export async function getPlant(store: PlantStore, id: bigint): Promise<Plant> {
  const after = id === INT64_MIN ? undefined : id - 1n;
  for await (const [plant] of store.read(after, { plants: 1, bytes: 0 })) {
    if (plant?.id !== id) break;
    return plant.tag === undefined ? { name: plant.name } : { name: plant.name, tag: plant.tag };
  }
  throw new ServiceError('not_found', ${notFound});
}`,
  },
  {
    file: 'apps/api/src/plants/get-plant.ts',
    generated: "import type { Plant } from '@plant-store/contract';\n",
    replacement: `import { INT64_MIN, type Plant } from '@plant-store/contract';
import { ServiceError } from '../errors/service-error.js';
`,
  },
  {
    file: 'packages/client/src/testing/handlers/get-plant.ts',
    generated: `= () => {
  throw new Error('getPlant is not implemented');
};`,
    replacement: `= ({ path: { id } }, { plants }) => {
  const plant = plants.get(id);
  if (plant === undefined) throw new ServiceError('not_found', ${notFound});
  return { status: 200, body: plant };
};`,
  },
  {
    file: 'packages/client/src/testing/handlers/get-plant.ts',
    generated: "import type { Handler } from './handler.js';\n",
    replacement:
      "import { ServiceError } from '../service-error.js';\nimport type { Handler } from './handler.js';\n",
  },
  {
    file: 'apps/api/test/http/get-plant.test.ts',
    generated: 'params: { id: 1n }',
    replacement: 'params: { id: 9223372036854775807n }',
  },
  {
    file: 'apps/api/test/http/get-plant.test.ts',
    generated: `    const reply = await openClient().getPlant(request);
    expect(reply).toMatchObject({ status: 200, body: {} });
  });
`,
    replacement: `    await openClient().createPlant({ body: { id: request.params.id, name: 'Monstera' } });
    const reply = await openClient().getPlant(request);
    expect(reply).toMatchObject({ status: 200, body: { name: 'Monstera' } });
  });

  it('answers 404 for an id that no plant has', async () => {
    const reply = await openClient().getPlant({ params: { id: 1n } });
    expect(reply).toMatchObject({ status: 404, body: { message: 'No plant has the id 1.' } });
  });

  it('names the parameter that is not valid', async () => {
    const reply = await openClient().getPlant({ params: { id: 2n ** 63n } });
    const message = expect.stringContaining('path parameter id must be an integer');
    expect(reply).toMatchObject({ status: 400, body: { message } });
  });
`,
  },
];
