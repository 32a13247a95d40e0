export { contract } from './contract.js';
export {
  type ErrorBody,
  type ErrorDefinition,
  type ErrorName,
  type ErrorNameOf,
  type ErrorNumber,
  errors,
} from './errors.js';
export { INT64_MAX, INT64_MIN, isInt64 } from './int64.js';
export { MAX_PLANTS, QUERY_MAX_LENGTHS } from './limits.js';
export type {
  Change,
  ChangePage,
  ChangeQuery,
  CreateResult,
  CreateResults,
  DeleteResult,
  DeleteResults,
  GetResult,
  GetResults,
  IssuedToken,
  NewPlant,
  NewPlantInput,
  NewPlants,
  NewToken,
  Operations,
  OwnToken,
  Plant,
  PlantIds,
  PlantPage,
  PlantQuery,
  Precondition,
  StoredPlant,
  TagPage,
  TagQuery,
  Token,
  TokenList,
  TokenRotation,
} from './operations.js';
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
