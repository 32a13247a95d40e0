export { contract } from './contract.js';
export { type ErrorBody, ErrorSchema } from './error-schema.js';
export { type ErrorDefinition, type ErrorName, errors } from './errors.js';
export { INT64_MAX, INT64_MIN, isInt64 } from './int64.js';
export { Int64Schema } from './int64-schema.js';
export { type NewPlant, NewPlantSchema, type Plant, PlantSchema } from './plant.js';
export { routes } from './routes.js';
