export { contract } from './contract.js';
export { ErrorSchema } from './errors/error-schema.js';
export {
  type ErrorBody,
  type ErrorDefinition,
  type ErrorName,
  type ErrorNumber,
  errors,
} from './errors/errors.js';
export { INT64_MAX, INT64_MIN, isInt64 } from './int64/int64.js';
export { Int64ParameterSchema } from './int64/int64-parameter-schema.js';
export { Int64Schema } from './int64/int64-schema.js';
export type { OperationMetadata } from './operation-metadata.js';
export type { NewPlant, NewPlantInput, Operations, Plant } from './operations.js';
export { NewPlantSchema, PlantSchema } from './plant.js';
export { type RequestSchemas, requestSchemas } from './request-schemas.js';
export { routes } from './routes.js';
