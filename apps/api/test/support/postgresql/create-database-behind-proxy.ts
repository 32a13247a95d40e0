import { createDatabase } from '@plant-store/postgresql-server';
import { inject, onTestFinished } from 'vitest';
import type {} from './global-setup.js';
import { startProxy } from './start-proxy.js';

/** Creates a database, and a proxy in front of it for this test; returns its URI, direct and through the proxy. */
export async function createDatabaseBehindProxy() {
  const databaseUrl = await createDatabase(inject('postgresqlUrl'));
  const proxy = await startProxy(Number(new URL(databaseUrl).port));
  onTestFinished(() => proxy.stop());
  const proxiedUrl = Object.assign(new URL(databaseUrl), { port: proxy.port }).href;
  return { databaseUrl, proxiedUrl, proxy };
}
