export { createDatabase, query } from './databases.js';
export { findFreePort } from './find-free-port.js';
export {
  createPostgresqlServer,
  type PostgresqlServer,
  type PostgresqlServerOptions,
} from './postgresql-server.js';
