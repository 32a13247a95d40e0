import type { Registry } from 'prom-client';
import type { CommitHealth } from '../plants/commits/commit-health.js';
import type { PlantBatcher } from '../plants/plant-batcher.js';
import { addGauge } from './create-registry.js';

/** What the gauges are read from. */
export interface GaugeSources {
  readonly connections: { readonly size: number };
  readonly plants: PlantBatcher;
  readonly health: CommitHealth;
}

/** Adds what is read from the running service at each scrape: its connections, its queue and what cannot be stored. */
export function addServiceGauges(registry: Registry, { connections, plants, health }: GaugeSources): void {
  addGauge(registry, {
    name: 'plant_store_http_connections',
    help: 'Open connections of clients',
    read: () => connections.size,
  });
  addGauge(registry, {
    name: 'plant_store_queue_plants',
    help: 'Plants that wait for the next commit',
    read: () => plants.queued().plants,
  });
  addGauge(registry, {
    name: 'plant_store_queue_bytes',
    help: 'Size of the names and tags of the plants that wait for the next commit',
    read: () => plants.queued().bytes,
  });
  addGauge(registry, {
    name: 'plant_store_failing_ids_ratio',
    help: 'Fraction of all ids, from 0 to 1, whose plants cannot be stored',
    aggregator: 'max',
    read: health.failingShare,
  });
}
