import type { Definition, Route, TypesOf } from './operation.js';
import * as createPlant from './operations/create-plant.js';
import * as createPlants from './operations/create-plants.js';
import * as deletePlant from './operations/delete-plant.js';
import * as getPlant from './operations/get-plant.js';
import * as listPlants from './operations/list-plants.js';

export type {
  CreateResult,
  CreateResults,
  NewPlant,
  NewPlantInput,
  NewPlants,
  Plant,
  PlantPage,
  PlantQuery,
  StoredPlant,
} from './operation.js';

/**
 * Method, path and the statuses of the replies of each operation (API: Endpoints), and whether a request may be
 * retried without doing more than the first one.
 *
 * Plain data, so that a client can send requests and know the replies without carrying the schemas. The definitions
 * stand apart, so that its bundle is without their texts.
 */
export const routes = {
  createPlant: createPlant.route,
  createPlants: createPlants.route,
  deletePlant: deletePlant.route,
  getPlant: getPlant.route,
  listPlants: listPlants.route,
} as const satisfies Record<string, Route>;

/** What each operation takes and gives, by the names of schemas, and its texts: plain data, too. */
export const definitions = {
  createPlant: createPlant.definition,
  createPlants: createPlants.definition,
  deletePlant: deletePlant.definition,
  getPlant: getPlant.definition,
  listPlants: listPlants.definition,
} as const satisfies Record<keyof typeof routes, Definition>;

/**
 * What each operation takes and gives, as types without a schema: for clients, whose users need neither zod nor ts-rest.
 *
 * The type tests of `contract` check that its schemas agree.
 */
export type Operations = {
  [Name in keyof typeof routes]: TypesOf<(typeof routes)[Name], (typeof definitions)[Name]>;
};
