export { contract, ErrorSchema, type OperationMetadata } from './contract.js';
export {
  type ErrorBody,
  type ErrorDefinition,
  type ErrorName,
  type ErrorNumber,
  errors,
} from './errors.js';
export { INT64_MAX, INT64_MIN, isInt64 } from './int64.js';
export { MAX_PLANTS, QUERY_MAX_LENGTHS } from './operation.js';
export {
  type CreateResult,
  type CreateResults,
  type NewPlant,
  type NewPlantInput,
  type NewPlants,
  type Operations,
  type Plant,
  type PlantPage,
  type PlantQuery,
  routes,
  type StoredPlant,
} from './operations.js';
export { type RequestSchemas, requestSchemas } from './request-schemas.js';
export { Int64ParameterSchema, Int64Schema, jsonShapeOf, NewPlantSchema, PlantSchema } from './schemas.js';
