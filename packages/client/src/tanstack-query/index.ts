export { isRejectedError, RejectedError } from '../unwrap/index.js';
export { createTanstackQueryUtils, type TanstackQueryUtils } from './create-tanstack-query-utils.js';
export type {
  FailureOf,
  OperationMutationOptions,
  OperationUtils,
  SelectOptions,
} from './operation-utils.js';
