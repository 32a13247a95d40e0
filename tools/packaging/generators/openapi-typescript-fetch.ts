// packages: openapi-typescript@7.13.0 openapi-typescript-fetch@2.2.1
import { Fetcher } from 'openapi-typescript-fetch';
import type { paths } from './generated/openapi-typescript.js';
import { authorization, baseUrl, useClient } from './use-client.js';

const fetcher = Fetcher.for<paths>();
fetcher.configure({ baseUrl, init: { headers: { authorization } } });
const plants = fetcher.path('/plants');
const onePlant = fetcher.path('/plants/{id}');

await useClient({
  create: plants.method('post').create(),
  list: async () => (await plants.method('get').create()({})).data.plants,
  get: async (plant) => (await onePlant.method('get').create()({ id: plant.id })).data,
  delete: (plant) => onePlant.method('delete').create()({ id: plant.id }),
});
