import { Counter, type Registry } from 'prom-client';

/** Registers a counter of the requests that were rejected for failed authentications of their address; returns what counts one. */
export function countLimitedRequests(registry: Registry): () => void {
  const counter = new Counter({
    name: 'plant_store_authentication_limited_total',
    help: 'Requests rejected with rate_limited, since their client address had too many failed authentications',
    registers: [registry],
  });
  return () => counter.inc();
}
