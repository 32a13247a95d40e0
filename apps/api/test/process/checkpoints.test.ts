import { expect, it } from 'vitest';
import { composePlantRequest } from '../support/post-plant.js';
import { forbidOpening } from '../support/process/processes.js';
import { issueToken, startServe } from '../support/process/run-command.js';
import { openConnection } from '../support/send-raw.js';
import { temporaryFolder } from '../support/temporary-folder.js';

it('keeps storing if no thread can start, shows a warning, and starts one as soon as possible', async () => {
  const folder = temporaryFolder();
  const token = await issueToken({ folder });
  const call = { folder, environment: { ADMIN_PORT: '0' } };
  const { command, baseUrl, adminUrl } = await startServe(call);
  const probe = await openConnection(adminUrl);
  const readReadiness = () => {
    probe.write('GET /readyz HTTP/1.1\r\nHost: plants.example\r\n\r\n');
    return probe.readReply();
  };
  const ready = { status: 200, body: { status: 'ready' } };
  const warnings = [expect.stringMatching(/^The write-ahead log keeps growing .+\.$/)];
  expect((await readReadiness()).body).toEqual(ready.body);
  const sender = await openConnection(baseUrl);
  sender.write(composePlantRequest({ baseUrl, token }, ''));
  expect((await sender.readReply()).status).toBe(400);

  // A thread needs some.
  const permitOpening = forbidOpening(command.process.pid);
  sender.write(composePlantRequest({ baseUrl, token }, '{"id":1,"name":"Fern"}'));
  expect((await sender.readReply()).status).toBe(200);
  await expect.poll(readReadiness).toMatchObject({ status: 200, body: { status: 'ready', warnings } });

  permitOpening();
  await expect.poll(async () => (await readReadiness()).body).toEqual(ready.body);
  const { exitCode, stdout: log } = await command.end('SIGTERM');
  expect(exitCode).toBe(0);
  expect(log).toMatch(/"level":40,.+"msg":"the write-ahead log is not being checkpointed"/);
  expect(log).toMatch(/"level":30,.+"msg":"the write-ahead log is being checkpointed again"/);
});
