import * as z from 'zod';
import { countAvailableCores } from './runtime/available-cores.js';

/** More processes than any machine has cores for. */
const maxWorkers = 1_024;

/** The number of workers in `auto`, or a number. */
export function toWorkers(text: string, context: z.RefinementCtx): number {
  if (text === 'auto') return countAvailableCores();
  const workers = Number(text);
  if (/^\d{1,4}$/.test(text) && workers >= 1 && workers <= maxWorkers) return workers;
  context.addIssue(`must be auto or a whole number from 1 to ${maxWorkers}`);
  return z.NEVER;
}

/** The settings of which each worker gets a share. */
interface SharedLimits {
  readonly WORKERS: number;
  readonly BODY_MAX_BYTES: number;
  readonly BODIES_MAX_BYTES?: number | undefined;
  readonly QUEUE_MAX_PLANTS: number;
  readonly QUEUE_MAX_BYTES: number;
  readonly DATABASE_POOL_SIZE: number;
  readonly DATABASE_URL: { readonly engine: string };
}

/** Requires that the share of each worker is not empty. */
export function checkSharedLimits(variables: SharedLimits, context: z.RefinementCtx): void {
  const { WORKERS, DATABASE_URL } = variables;
  if (WORKERS === 1) return;
  const { BODY_MAX_BYTES, BODIES_MAX_BYTES = Infinity } = variables;
  if (BODIES_MAX_BYTES >= 2 * BODY_MAX_BYTES && BODIES_MAX_BYTES < 2 * BODY_MAX_BYTES * WORKERS) {
    const message = 'must be at least twice BODY_MAX_BYTES for each worker';
    context.addIssue({ code: 'custom', path: ['BODIES_MAX_BYTES'], message });
  }
  for (const name of ['QUEUE_MAX_PLANTS', 'QUEUE_MAX_BYTES'] as const) {
    if (variables[name] < WORKERS) {
      context.addIssue({
        code: 'custom',
        path: [name],
        message: `must be at least the ${WORKERS} of WORKERS`,
      });
    }
  }
  if (DATABASE_URL.engine !== 'sqlite' && variables.DATABASE_POOL_SIZE <= WORKERS) {
    context.addIssue({
      code: 'custom',
      path: ['DATABASE_POOL_SIZE'],
      message: `must be more than the ${WORKERS} of WORKERS: one connection for each, and one besides`,
    });
  }
}
