import { median, medians } from '@plant-store/report';
import type { ClientPair, ClientSummary } from './client-results.js';

/** Medians of pairs. The ratio is computed for each pair, so that other activity on the machine affects both of its sides. */
export function summarizePairs(concurrency: number, pairs: ClientPair[]): ClientSummary {
  return {
    concurrency,
    ...medians(pairs, 'fetch', 'client'),
    ratio: median(pairs.map(({ fetch, client }) => client / fetch)),
    pairs,
  };
}
