import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { readPackage } from '../package-folder.js';
import type { CommitHealth } from '../plants/commit-health.js';
import type { PlantWriter } from '../plants/plant-store.js';

/** Creates the registry of all metrics, with those of the process and of Node.js, and the version of this program. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { version, commit } = readPackage();
  new Gauge({
    name: 'plant_store_build_info',
    help: 'Always 1; the version and the commit of the service, and the version of Node.js',
    labelNames: ['version', 'commit', 'node_version'],
    aggregator: 'first',
    registers: [registry],
  }).set({ version, commit, node_version: process.versions.node }, 1);
  return registry;
}

/** A gauge whose value is read at each scrape. */
interface ReadGauge {
  readonly name: string;
  readonly help: string;
  /** What the values of several processes become: their sum by default. */
  readonly aggregator?: 'sum' | 'max';
  read(): number | Promise<number>;
}

/** Adds a gauge whose value is read at each scrape. */
export function addGauge(registry: Registry, { name, help, aggregator = 'sum', read }: ReadGauge): void {
  new Gauge({
    name,
    help,
    aggregator,
    registers: [registry],
    async collect() {
      this.set(await read());
    },
  });
}

/** What the gauges are read from. */
interface GaugeSources {
  readonly connections: { readonly size: number };
  readonly plants: PlantWriter;
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
