import type { Random } from '../load/random.js';
import { until } from '../load/trial.js';
import { isRunning, readChildren } from '../service/process-tree.js';
import type { RunningService } from '../service/start-service.js';

/**
 * Kills a service: all its processes at once or, half of the times if it has workers, only the primary, after which the
 * workers must end by themselves. Resolves once all have ended.
 */
export async function killService(service: RunningService, random: Random): Promise<void> {
  const primaryOnly = random.next() < 0.5;
  const workers = readChildren(service.pid);
  if (primaryOnly && workers.length > 0) await service.kill('SIGKILL');
  else await service.killAll();
  await until(() => !workers.some(isRunning), 'the workers of a killed service have ended');
}
