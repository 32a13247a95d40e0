import type { DatabaseLog, LogFields } from './database.js';

/**
 * The log of commands, which have none of their own: warnings and errors become process warnings, on standard error.
 */
export const processWarnings: DatabaseLog = {
  info: () => undefined,
  warn: emitWarning,
  error: emitWarning,
};

function emitWarning({ err }: LogFields, message: string): void {
  process.emitWarning(err === undefined ? message : `${message}: ${err.message}`);
}
