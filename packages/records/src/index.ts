export { hashText } from './cursor.js';
export { internalError, ServiceError } from './errors.js';
export * from './memory-store.js';
export * from './operations.js';
export * from './store.js';
