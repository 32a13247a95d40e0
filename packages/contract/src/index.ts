export { contract } from './contract.js';
export * from './errors.js';
export { INT64_MAX, INT64_MIN, isInt64 } from './int64.js';
export { MAX_RECORDS, QUERY_MAX_LENGTHS } from './limits.js';
export {
  type Metadata,
  type Operation,
  type RecordMetadata,
  type RecordOperation,
  subjectOfOperation,
} from './metadata.js';
export type * from './operations.js';
export { createIdentifiedSchema, schemasOf } from './record-schemas.js';
export { routes } from './routes.js';
export { auditActions, ErrorSchema, NewPlantSchema, PlantSchema } from './schemas.js';
export {
  Int64ParameterSchema,
  Int64Schema,
  jsonShapeOf,
  QueryTimeSchema,
  TimeSchema,
} from './value-schemas.js';
