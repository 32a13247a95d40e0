import { Counter, type Registry } from 'prom-client';
import type { RejectionLog } from '../logging/rejection-log.js';

/** Counts the requests that were rejected for overload, by the limit that was reached. */
export function countRejections(rejections: RejectionLog, registry: Registry): RejectionLog {
  const rejected = new Counter({
    name: 'plant_store_overload_rejections_total',
    help: 'Requests rejected with overloaded, by reason: waiting_plants, waiting_bytes or body_bytes',
    labelNames: ['reason'],
    registers: [registry],
  });
  return {
    count(reason) {
      rejected.inc({ reason });
      rejections.count(reason);
    },
  };
}
