export { contract } from './contract.js';
export * from './errors.js';
export { INT64_MAX, INT64_MIN, isInt64 } from './int64.js';
export { MAX_PLANTS, QUERY_MAX_LENGTHS } from './limits.js';
export {
  type Metadata,
  type Operation,
  type RecordMetadata,
  type RecordOperation,
  subjectOfOperation,
} from './metadata.js';
export type * from './operations.js';
export { schemasOf } from './record-schemas.js';
export { routes } from './routes.js';
export {
  createIdentifiedSchema,
  ErrorSchema,
  Int64ParameterSchema,
  Int64Schema,
  jsonShapeOf,
  NewPlantSchema,
  PlantSchema,
  QueryTimeSchema,
  TimeSchema,
} from './schemas.js';
