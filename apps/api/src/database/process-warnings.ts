import type { DatabaseLog, LogFields } from './database.js';

/** For commands, which have no log: what is wrong becomes a warning of the process, on standard error. */
export const processWarnings: DatabaseLog = {
  info: () => undefined,
  warn: emitWarning,
  error: emitWarning,
};

function emitWarning({ err }: LogFields, message: string): void {
  process.emitWarning(err === undefined ? message : `${message}: ${err.message}`);
}
