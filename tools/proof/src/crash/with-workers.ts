import { join } from 'node:path';
import { withDatabases } from '../databases/with-databases.js';
import { createRandom } from '../load/random.js';
import { type Trial, withTrial } from '../load/trial.js';
import type { ProofContext, ProofResult } from '../proof.js';
import { readChildren } from '../service/process-tree.js';
import type { RunningService } from '../service/start-service.js';

/** A service on SQLite that has several worker processes. */
export interface ServiceWithWorkers {
  readonly trial: Trial;
  readonly service: RunningService;
  /** How many workers it has. */
  readonly count: number;
  /** The file that gets its log. */
  readonly logFile: string;
}

/** Runs a trial on a service with workers; without any, it is not run. */
export function withWorkers(
  { seed, settings }: ProofContext,
  promise: string,
  run: (service: ServiceWithWorkers) => Promise<ProofResult>,
): Promise<ProofResult> {
  return withDatabases('sqlite', async ({ folder, server }) => {
    const database = await server.createDatabase();
    const logFile = join(folder, 'service.log');
    return withTrial({ database, random: createRandom(seed), logFile, settings }, async (trial) => {
      const service = await trial.launch().started;
      const count = readChildren(service.pid).length;
      if (count >= 2) return run({ trial, service, count, logFile });
      const notRun = 'The service has no worker processes here: --setting WORKERS=2 gives it two.';
      return { promise, figures: {}, failures: [], notRun };
    });
  });
}
