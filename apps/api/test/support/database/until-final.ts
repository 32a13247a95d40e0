import { until } from '../until.js';
import type { TestDatabase } from './test-database.js';

/**
 * Resolves once all changes so far are in the order of changes. On PostgreSQL that is once no older transaction of the whole server is
 * open, which other tests share.
 */
export async function untilFinal({ url, query }: Pick<TestDatabase, 'url' | 'query'>): Promise<void> {
  if (url.startsWith('file:')) return;
  const [own] = await query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
  const oldest = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS id';
  await until(async () => BigInt((await query<{ id: string }>(oldest))[0]?.id ?? 0) > BigInt(own?.id ?? 0));
}
