import { createDatabase } from '@plant-store/postgresql-server';
import { inject, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { distributeStandIn } from '../support/postgresql/stand-in-citus.js';
import { sendRaw } from '../support/send-raw.js';
import { startTestService } from '../support/start-test-service.js';

it('a distributed store has no changes, whether they are waited for or not', async () => {
  const url = await createDatabase(inject('postgresqlUrl'));
  await distributeStandIn(url);
  const { baseUrl, token } = await startTestService({ DATABASE_URL: url });
  for (const query of ['', 'after=0', 'after=0&wait=25', 'after=1.1.1', 'wait=25']) {
    const request = `GET /changes?${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    expectError(await sendRaw(baseUrl, request), 'changes_unsupported', 'cannot list changes in order');
  }
});
