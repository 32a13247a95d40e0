import { createRequire } from 'node:module';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
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

/** Creates a counter with one label, at zero for each of these values: what appears later has no rate at first. */
export function createCounter<Label extends string>(
  registry: Registry,
  options: { readonly name: string; readonly help: string },
  label: Label,
  values: readonly string[],
): Counter<Label> {
  const counter = new Counter({ ...options, labelNames: [label], registers: [registry] });
  for (const value of values) counter.labels(value).inc(0);
  return counter;
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
