import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '../support/database/engines.js';
import { expectStored } from '../support/expect-stored.js';
import { postPlant } from '../support/post-plant.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** A query that only this engine can run. */
const queries: Readonly<Record<Engine, string>> = {
  sqlite: 'SELECT sqlite_version() AS version',
  postgresql: 'SELECT current_setting($$server_version$$) AS version',
};

it('is the one that the vitest project is named after', async ({ task }) => {
  const [engine = ''] = (task.file.projectName ?? '').split('-');
  const query = new Map(Object.entries(queries)).get(engine);
  expect(await service.database.query(query ?? '')).toEqual([{ version: expect.stringMatching(/^\d/) }]);
  const row = { id: '1', name: 'Monstera', tag: null };
  await expectStored(service, postPlant(service, { id: 1, name: 'Monstera' }), row);
});
