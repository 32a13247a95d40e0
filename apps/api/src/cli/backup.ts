import { resolve } from 'node:path';
import type { Config } from '../config.js';
import { backUpDatabase, requireBackupSource } from '../database/backup-database.js';
import { writeAtomically } from './output/atomic-write.js';
import { countOf } from './output/count-of.js';
import { abortOnSignal } from './support/abort-on-signal.js';
import type { CliContext } from './support/cli-context.js';

/** Copies a SQLite database to a new file while services use it, and checks the copy. */
export async function backUp({ database }: Config, file: string, context: CliContext): Promise<void> {
  const source = await requireBackupSource(database);
  const signal = abortOnSignal(context);
  const path = resolve(context.folder, file);
  const count = await writeAtomically(path, (temporaryPath) => backUpDatabase(source, temporaryPath, signal));
  await context.message(`${countOf(count, 'plant')} copied to ${path}, and the copy checked.`);
}
