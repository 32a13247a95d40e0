import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { readPackage } from '../package-folder.js';

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
export interface ReadGauge {
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
