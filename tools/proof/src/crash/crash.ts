import type { Proof } from '../proof.js';
import { churnWorkers } from './churn-workers.js';
import { crashMachine } from './crash-machine.js';
import { crashPostgresql } from './crash-postgresql.js';
import { crashSqlite } from './crash-sqlite.js';
import { crashWorkers } from './crash-workers.js';
import { replaceWorkers } from './replace-workers.js';

/**
 * Kills the service, its workers, PostgreSQL, and the file system under load, at seeded instants, and compares after each
 * restart what is stored with what was acknowledged. Replaces workers, and lets strangers open and close connections.
 */
export const crash: Proof = async (context) => [
  await crashSqlite(context),
  await crashWorkers(context),
  await replaceWorkers(context),
  await churnWorkers(context),
  await crashMachine(context, 'sqlite'),
  await crashMachine(context, 'postgresql'),
  await crashPostgresql(context),
];
