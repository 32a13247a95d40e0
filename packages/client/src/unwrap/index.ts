export { isRejectedError, RejectedError, type RejectedErrorData } from './rejected-error.js';
export type { AnyReply, BodyOf, FailedReply, RejectionOf, RejectionsOf, SuccessOf } from './reply.js';
export { ensureSuccess, unwrap } from './unwrap.js';
