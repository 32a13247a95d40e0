export {
  type ErrorBody,
  type ErrorDefinition,
  type ErrorName,
  type ErrorNumber,
  errors,
} from '@plant-store/contract/errors';
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
  NewPlantInput,
  NewPlants,
  NewToken,
  OwnToken,
  Plant,
  PlantIds,
  PlantPage,
  PlantQuery,
  StoredPlant,
  Token,
  TokenList,
  TokenRotation,
} from '@plant-store/contract/operations';
export type { Client, ReplyOf, RequestOf } from './client.js';
export { createClient } from './create-client.js';
export { isNetworkError, NetworkError } from './errors/network-error.js';
export { isPlantStoreError, type Outcome, PlantStoreError } from './errors/plant-store-error.js';
export { isTimeoutError, TimeoutError } from './errors/timeout-error.js';
export { isUnexpectedResponseError, UnexpectedResponseError } from './errors/unexpected-response-error.js';
export type {
  CallOptions,
  ClientOptions,
  Fetch,
  RequestEvent,
  ResponseEvent,
  TokenSource,
  TsRestOptions,
} from './options.js';
