import type { Registry } from 'prom-client';
import { createCounter } from './create-counter.js';

/** Registers a counter of the requests that were rejected for failed authentications of their address; returns what counts one. */
export function countLimitedRequests(registry: Registry): () => void {
  return createCounter(registry, {
    name: 'plant_store_authentication_limited_total',
    help: 'Requests rejected with rate_limited, since their client address had too many failed authentications',
    labels: [],
  });
}
