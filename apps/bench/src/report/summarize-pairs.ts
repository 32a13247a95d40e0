import type { ClientPair, ClientSummary } from '../client-speed/client-results.js';
import { median } from './median.js';

/** Medians of pairs. The ratio is that of each pair, so that what else the machine does hits both of its sides. */
export function summarizePairs(concurrency: number, pairs: ClientPair[]): ClientSummary {
  return {
    concurrency,
    fetch: median(pairs.map(({ fetch }) => fetch)),
    client: median(pairs.map(({ client }) => client)),
    ratio: median(pairs.map(({ fetch, client }) => client / fetch)),
    pairs,
  };
}
