import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { withDatabases } from '../databases/with-databases.js';
import { createRandom } from '../load/random.js';
import { Tally } from '../load/tally.js';
import { withTrial } from '../load/trial.js';
import type { ProofContext, ProofResult } from '../proof.js';
import { causeOutage } from './outage.js';

/** Longer than the service usually waits for a lock. */
const waitMs = 60_000;

/** Holds the write lock of the file, from this process, until creates are rejected. */
export async function holdLock({ seed, amount, settings, trials, log }: ProofContext): Promise<ProofResult> {
  const locks = trials?.['disk-locked'] ?? { short: 1, full: 30 }[amount];
  const tally = new Tally();
  let done = 0;
  await withDatabases('sqlite', async ({ folder, server }) => {
    const database = await server.createDatabase();
    const options = { database, random: createRandom(seed), logFile: join(folder, 'service.log'), settings };
    await withTrial(options, async (trial) => {
      const service = await trial.launch().started;
      const file = new Sqlite(fileURLToPath(database.url), { timeout: waitMs });
      const begin = () => void file.exec('BEGIN EXCLUSIVE');
      const end = () => void file.exec('ROLLBACK');
      for (; done < locks && tally.failures.length === 0; done++)
        await causeOutage(trial, service, { begin, end }, tally);
      file.close();
      tally.addDatabase(await trial.compareAll(), []);
      await service.kill('SIGTERM');
    });
  });
  log(`locked the file ${done} times`);
  return tally.toResult('A 200 is stored although another process locks the file', { locks: done });
}
