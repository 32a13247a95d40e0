export { cursorsOf, hashText, type RecordQuery } from './cursor.js';
export { internalError, ServiceError } from './errors.js';
export { toIsoTime } from './iso-time.js';
export * from './memory-store.js';
export * from './operations.js';
export * from './order.js';
export * from './requests.js';
export * from './store.js';
export * from './tokens.js';
