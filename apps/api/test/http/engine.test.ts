import { expect, it } from 'vitest';
import type { TestEngine } from '../support/database/engines.js';
import { expectStored } from '../support/expect-stored.js';
import { postPlant } from '../support/post-plant.js';
import { useTestService } from '../support/start-test-service.js';

const service = useTestService();

/** A query that only this engine can run; on a cluster it finds nothing unless the plants are distributed. */
const queries: Readonly<Record<TestEngine, string>> = {
  sqlite: 'SELECT sqlite_version() AS version',
  postgresql: 'SELECT current_setting($$server_version$$) AS version',
  citus: `SELECT extversion AS version FROM pg_extension, pg_dist_partition
    WHERE extname = 'citus' AND logicalrelid = to_regclass('plants') AND partmethod = 'h'`,
};

it('is the one that the vitest project is named after', async ({ task }) => {
  const [engine = ''] = (task.file.projectName ?? '').split('-');
  const query = new Map(Object.entries(queries)).get(engine);
  expect(await service.database.query(query ?? '')).toEqual([{ version: expect.stringMatching(/^\d/) }]);
  const row = { id: '1', name: 'Monstera', tag: null };
  await expectStored(service, postPlant(service, { id: 1, name: 'Monstera' }), row);
});
