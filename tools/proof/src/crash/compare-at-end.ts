import type { Tally } from '../load/tally.js';
import type { Trial } from '../load/trial.js';

/** Starts the service a last time, compares everything and an export, and checks the database once the service has stopped. */
export async function compareAtEnd(trial: Trial, tally: Tally): Promise<void> {
  const service = await trial.launch().started;
  const comparison = await trial.compareAll();
  tally.check(await trial.compareExport(), 'in the export at the end');
  const status = await service.kill('SIGTERM');
  tally.addDatabase(comparison, await trial.database.findDamage());
  if (status !== 0) tally.failures.push(`The service ended with status ${status} on SIGTERM`);
}
