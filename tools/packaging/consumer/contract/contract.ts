import { contract, type NewPlant, NewPlantSchema, type Plant } from '@plant-store/contract';
import { errors } from '@plant-store/contract/errors';
import { parseExactJson } from '@plant-store/contract/exact-json/parse';
import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import { createOpenApiDocument } from '@plant-store/contract/openapi';
import { routes } from '@plant-store/contract/routes';

const text = '{"id":9223372036854775807,"name":"Rose"}';
const plant: NewPlant = NewPlantSchema.parse(parseExactJson(text));
const shown: Plant = plant;
const id: bigint = plant.id;
if (shown.name !== 'Rose' || id !== 2n ** 63n - 1n) throw new Error('Unexpected plant');
if (stringifyExactJson({ ...plant }) !== text) throw new Error('Unexpected text');

const path: '/plants' = routes.createPlant.path;
if (contract.createPlant.path !== path) throw new Error('Unexpected path');
if (createOpenApiDocument().paths?.[path]?.post === undefined)
  throw new Error('Missing in the OpenAPI document');

const error: number = errors.id_taken.error;
if (error !== 40003) throw new Error('Unexpected error');
