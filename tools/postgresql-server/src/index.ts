export { createDatabase, query } from './databases.js';
export { findFreePort } from './find-free-port.js';
export { createPostgresqlServer } from './postgresql-server.js';
