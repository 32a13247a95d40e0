import { createRequire } from 'node:module';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { packageFolder } from '../package-folder.js';

/** Creates the registry of all metrics, with those of the process and of Node.js, and the version of this program. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { version } = createRequire(packageFolder)('./package.json') as { version: string };
  new Gauge({
    name: 'plant_store_build_info',
    help: 'Always 1; the version of the service and of Node.js',
    labelNames: ['version', 'node_version'],
    registers: [registry],
  }).set({ version, node_version: process.versions.node }, 1);
  return registry;
}

/** A gauge whose value is read at each scrape. */
export function addGauge(
  registry: Registry,
  { name, help, read }: { readonly name: string; readonly help: string; read(): number | Promise<number> },
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set(await read());
    },
  });
}
