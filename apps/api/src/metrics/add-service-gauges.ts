import type { Server } from 'node:http';
import { promisify } from 'node:util';
import type { Registry } from 'prom-client';
import type { PlantBatcher } from '../plants/plant-batcher.js';
import { addGauge } from './create-registry.js';

/** Adds what is read from the running service at each scrape: its connections and its queue. */
export function addServiceGauges(registry: Registry, server: Server, plants: PlantBatcher): void {
  const countConnections = promisify(server.getConnections.bind(server));
  addGauge(registry, {
    name: 'plant_store_http_connections',
    help: 'Open connections of clients',
    read: countConnections,
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
}
