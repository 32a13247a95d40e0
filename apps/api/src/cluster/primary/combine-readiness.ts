import type { Readiness } from '../../admin/readiness.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { WorkerGroup } from './worker-group.js';

/** How long a worker may take to answer, in milliseconds; longer than its database may. */
const timeoutMs = 2_500;

/** What the readiness of a service with workers depends on. */
export interface CombinedReadiness {
  /** Whether the primary process, and its database, work. */
  readonly own: () => Promise<Readiness>;
  readonly group: Pick<WorkerGroup, 'responding'>;
  /** How many workers there are when all run. */
  readonly workers: number;
  /** Whether workers have a database connection of their own, which may fail by itself. */
  readonly askWorkers: boolean;
}

/** A service is ready if its primary process is, and at least half of its workers. */
export function combineReadiness(parts: CombinedReadiness): () => Promise<Readiness> {
  const { own, group, workers, askWorkers } = parts;
  return async function readiness() {
    const result = await own();
    if (!result.ready) return result;
    const responding = [...group.responding().values()];
    const answers = askWorkers
      ? await Promise.all(responding.map(({ calls }) => ask(calls.call('readiness', null))))
      : responding.map(() => result);
    const ready = answers.filter((answer) => answer.ready);
    const missing = workers - ready.length;
    if (ready.length < workers / 2) {
      return answers.find((answer) => !answer.ready) ?? { ready: false, reason: 'internal_error' };
    }
    const warnings = new Set([...result.warnings, ...ready.flatMap((answer) => answer.warnings)]);
    const doNot = missing === 1 ? 'does not' : 'do not';
    if (missing > 0) warnings.add(`${missing} of ${workers} workers ${doNot} run, respond or store plants.`);
    return { ready: true, warnings: [...warnings] };
  };
}

/** A worker that ends or hangs is not ready. */
async function ask(answer: Promise<Readiness>): Promise<Readiness> {
  const unavailable = { ready: false, reason: 'database_unavailable' } as const;
  return withTimeout(answer, timeoutMs, () => unavailable).catch(() => unavailable);
}
