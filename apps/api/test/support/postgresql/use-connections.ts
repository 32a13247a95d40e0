import pg from 'pg';
import { afterEach, beforeEach } from 'vitest';
import { createTestDatabase } from '../database/create-test-database.js';
import type { TestDatabase } from '../database/test-database.js';

/** Creates an empty PostgreSQL database for each test, with a function that connects to it until the end of the test. */
export function useConnections() {
  let database: TestDatabase;
  let clients: pg.Client[] = [];
  beforeEach(async () => {
    database = await createTestDatabase('postgresql');
    clients = [];
  });
  afterEach(async () => {
    for (const client of clients) await client.end();
    await database.remove();
  });
  return {
    get database() {
      return database;
    },
    async connect(): Promise<pg.Client> {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      clients.push(client);
      return client;
    },
  };
}
