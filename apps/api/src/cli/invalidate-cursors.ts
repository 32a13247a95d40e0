import type { Config } from '../config.js';
import { withDatabase } from './database.js';

/**
 * Makes all cursors of changes expire that were issued before, after pending migrations: what they stand for may not be what is stored
 * since a restore. Programs that follow changes then get `cursor_expired`, and read everything again. A service may be running.
 */
export function invalidateCursors({ database }: Pick<Config, 'database'>): Promise<void> {
  return withDatabase({ database }, { mustExist: true }, (opened) => opened.invalidateCursors());
}
