import type { DatabaseLog, LogFields } from '../../../src/store/database.js';

/** Creates the log of a database, and the lines that are written to it, each as `level: message: cause`. */
export function recordLog(): { readonly log: DatabaseLog; readonly lines: readonly string[] } {
  const lines: string[] = [];
  const write =
    (level: string) =>
    ({ err }: LogFields, message: string) =>
      void lines.push([level, message, ...(err === undefined ? [] : [err.message])].join(': '));
  return { log: { info: write('info'), warn: write('warn'), error: write('error') }, lines };
}
