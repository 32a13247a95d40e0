import type { Registry } from 'prom-client';
import { ServiceError } from '../errors/service-error.js';
import type { PlantInserter } from '../plants/plant-store.js';
import { createCounter } from './create-counter.js';
import { createHistogram } from './create-histogram.js';

/** Measures the commits of a store: how many plants each has, how long it takes, and why it fails. */
export function measureInserts(store: PlantInserter, registry: Registry): PlantInserter {
  const observeSize = createHistogram(registry, {
    name: 'plant_store_commit_plants',
    help: 'Plants of a commit',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000],
  });
  const observeDuration = createHistogram(registry, {
    name: 'plant_store_commit_duration_seconds',
    help: 'Time of a commit that succeeded, from the statement to the disk',
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  });
  const countFailure = createCounter(
    registry,
    {
      name: 'plant_store_commit_failures_total',
      help: 'Commits that failed, by the name of the error',
      labels: ['error'],
    },
    ['database_unavailable', 'database_damaged', 'internal_error'],
  );
  return {
    async insert(plants) {
      observeSize(plants.length);
      const startedAt = performance.now();
      try {
        const outcomes = await store.insert(plants);
        observeDuration((performance.now() - startedAt) / 1_000);
        return outcomes;
      } catch (error) {
        countFailure(error instanceof ServiceError ? error.errorName : 'internal_error');
        throw error;
      }
    },
  };
}
