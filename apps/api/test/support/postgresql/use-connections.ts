import { randomUUID } from 'node:crypto';
import { query } from '@plant-store/postgresql-server';
import pg from 'pg';
import { beforeEach, onTestFinished } from 'vitest';
import { createTestDatabase } from '../database/create-test-database.js';
import type { TestDatabase } from '../database/test-database.js';

/** Creates an empty PostgreSQL database for each test, with a function that connects to it until the end of the test. */
export function useConnections() {
  const database = {} as TestDatabase;
  beforeEach(async () => {
    Object.assign(database, await createTestDatabase('postgresql'));
    onTestFinished(database.remove);
  });
  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  }
  return { database, connect };
}

/** The SQL that makes PostgreSQL run a statement whenever a plant is inserted. */
export const onInsert = (action: string, event: 'INSERT' | 'UPDATE' = 'INSERT') =>
  `CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${action}; RETURN NEW; END $$;
   CREATE TRIGGER act BEFORE ${event} ON plants FOR EACH ROW EXECUTE FUNCTION act()`;

/** Creates a user without privileges on a database, and returns the URI for it. */
export async function createUser(url: string): Promise<string> {
  const user = `visitor_${randomUUID().replaceAll('-', '')}`;
  await query(url, `CREATE ROLE ${user} LOGIN PASSWORD 'secret'`);
  return Object.assign(new URL(url), { username: user, password: 'secret' }).href;
}
