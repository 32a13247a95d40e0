import { setTimeout as sleep } from 'node:timers/promises';
import { it } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { createDatabaseBehindProxy } from '../../../test/support/postgresql/create-database-behind-proxy.js';
import { until } from '../../../test/support/until.js';

it('lets a service start while its server is slow to accept a connection', async () => {
  const { proxiedUrl, proxy } = await createDatabaseBehindProxy();
  proxy.freeze();
  const connectMs = 200;
  const opening = openTestDatabase({ url: proxiedUrl }, {}, { connectMs });
  await sleep(2 * connectMs);
  proxy.thaw();
  const database = await opening;
  // Each of its connections has that short time.
  await until(() =>
    database.check().then(
      () => true,
      () => false,
    ),
  );
  await database.close();
});
