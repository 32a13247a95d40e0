export type { Scope } from '@plant-store/contract/access-token';
export {
  type ErrorBody,
  type ErrorDefinition,
  type ErrorName,
  type ErrorNumber,
  errors,
} from '@plant-store/contract/errors';
export type * from '@plant-store/contract/operations';
export {
  type BulkOptions,
  type ConditionalId,
  type DeleteTotals,
  deleteAll,
  type FoundPlant,
  getAll,
  type PlantId,
  type RejectedId,
  type RejectedPlant,
  type StoreTotals,
  storeAll,
  type UpdateTotals,
  updateAll,
} from './bulk.js';
export type {
  BodyOf,
  Client,
  Condition,
  ConditionReply,
  ErrorOf,
  HeaderCondition,
  IfMatch,
  OperationName,
  ReadCondition,
  ReplyOf,
  RequestOf,
} from './client.js';
export { createClient } from './create-client.js';
export {
  type Changes,
  type Edit,
  type EditablePlant,
  type EditConflict,
  hasChanges,
  isEditConflict,
  saveEdit,
  startEdit,
} from './edit.js';
export { isNetworkError, NetworkError } from './errors/network-error.js';
export {
  isPlantStoreError,
  type Outcome,
  PlantStoreError,
  type RequestSummary,
} from './errors/plant-store-error.js';
export { isTimeoutError, TimeoutError } from './errors/timeout-error.js';
export { isUnexpectedResponseError, UnexpectedResponseError } from './errors/unexpected-response-error.js';
export { type FollowOptions, followChanges } from './follow.js';
export type { IterablePromise } from './iterable-promise.js';
export { countTags, type ListOptions, listAll } from './list.js';
export type {
  CallOptions,
  ClientOptions,
  Fetch,
  Hook,
  RequestEvent,
  ResponseEvent,
  TokenSource,
  Validate,
} from './options.js';
export type { Reply } from './read-reply.js';
export {
  ensureSuccess,
  isRejectedError,
  RejectedError,
  type RejectedErrorData,
  type RejectionOf,
  type SuccessOf,
  unwrap,
} from './unwrap.js';
