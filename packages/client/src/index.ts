export type { Scope } from '@plant-store/contract/access-token';
export {
  type ErrorBody,
  type ErrorDefinition,
  type ErrorName,
  type ErrorNumber,
  errors,
} from '@plant-store/contract/errors';
export type * from '@plant-store/contract/operations';
export * from './bulk.js';
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
export * from './edit.js';
export { isNetworkError, NetworkError } from './errors/network-error.js';
export * from './errors/plant-store-error.js';
export * from './errors/timeout-error.js';
export * from './errors/unexpected-response-error.js';
export * from './follow.js';
export type { IterablePromise } from './iterable-promise.js';
export * from './list.js';
export type * from './options.js';
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
