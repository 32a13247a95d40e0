import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openTestDatabase } from '../../../../test/support/database/create-test-database.js';
import { createDatabaseBehindProxy } from '../../../../test/support/postgresql/create-database-behind-proxy.js';
import { connectTimeoutMs } from './connection-settings.js';

it('lets a service start while its server is slow to accept a connection', async () => {
  const { proxiedUrl, proxy } = await createDatabaseBehindProxy();
  proxy.freeze();
  const opening = openTestDatabase({ url: proxiedUrl });
  await sleep(connectTimeoutMs + 500);
  proxy.thaw();
  const database = await opening;
  await expect(database.check()).resolves.toBeUndefined();
  await database.close();
});
