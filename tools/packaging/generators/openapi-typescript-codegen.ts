// packages: openapi-typescript-codegen@0.31.0
// command: openapi -i openapi.json -o generated/openapi-typescript-codegen
import { OpenAPI, PlantsService } from './generated/openapi-typescript-codegen/index.js';
import { baseUrl, token, useClient } from './use-client.js';

Object.assign(OpenAPI, { BASE: baseUrl, TOKEN: token });

await useClient({
  create: (plant) => PlantsService.createPlant(plant),
  list: async () => (await PlantsService.listPlants()).plants,
  get: (plant) => PlantsService.getPlant(plant.id),
  delete: (plant) => PlantsService.deletePlant(plant.id),
});
