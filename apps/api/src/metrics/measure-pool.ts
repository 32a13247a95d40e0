import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { addGauge } from './create-registry.js';

/** Measures how many connections of a pool are in use or idle, and how many queries wait for one. */
export function measurePool(pool: Pool, registry: Registry): void {
  new Gauge({
    name: 'plant_store_postgresql_connections',
    help: 'Connections to PostgreSQL, by state: in_use or idle',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'in_use' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
    },
  });
  addGauge(registry, {
    name: 'plant_store_postgresql_waiting_queries',
    help: 'Queries that wait for a connection to PostgreSQL',
    read: () => pool.waitingCount,
  });
}
