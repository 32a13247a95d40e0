import type { Registry } from 'prom-client';
import { overloadErrors } from '../errors/overload-errors.js';
import type { RejectionLog } from '../logging/rejection-log.js';
import { createCounter } from './create-counter.js';

/** Counts the requests that were rejected for overload, by the limit that was reached. */
export function countRejections(rejections: RejectionLog, registry: Registry): RejectionLog {
  const reasons = Object.keys(overloadErrors);
  const countRejection = createCounter(
    registry,
    {
      name: 'plant_store_overload_rejections_total',
      help: `Requests rejected with overloaded, by reason: ${reasons.join(', ')}`,
      labels: ['reason'],
    },
    reasons,
  );
  return {
    count(reason) {
      countRejection(reason);
      rejections.count(reason);
    },
  };
}
