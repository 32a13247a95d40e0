import { query } from '@plant-store/postgresql-server';

/** Creates a user without privileges on a database, and returns the URI for it. */
export async function createUser(url: string): Promise<string> {
  const user = `visitor_${new URL(url).pathname.slice(1)}`;
  await query(url, `CREATE ROLE ${user} LOGIN PASSWORD 'secret'`);
  return Object.assign(new URL(url), { username: user, password: 'secret' }).href;
}
