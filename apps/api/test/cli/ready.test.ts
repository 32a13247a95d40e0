import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { fetchReadiness } from '../../src/observe/readiness.js';
import { listen } from '../support/listen.js';
import { failed, succeeded } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';
import { startTestService } from '../support/start-test-service.js';

it('succeeds while a service is ready, found by its settings or by its URL', async () => {
  const service = await startTestService({ ADMIN_PORT: '0' });
  const { adminUrl = '' } = service;
  const { port: ADMIN_PORT } = new URL(adminUrl);
  const { run } = useCommands({ ADMIN_PORT, ADMIN_HOST: '0.0.0.0' });
  expect(await run('ready')).toEqual(succeeded('ready\n'));
  expect(await useCommands().run(`ready --url ${adminUrl}`)).toEqual(succeeded('ready\n'));
  await service.stop();
  expect(await useCommands({ ADMIN_PORT }).run('ready')).toEqual(
    failed(/\/readyz is not responding: connect ECONNREFUSED(.|\n)*Start the service with ADMIN_PORT/),
  );
});

const isNoHealthCheck = failed(/\/readyz is not a Plant Store health check\./);

const slow = '{"status":"ready","warnings":["The disk is slow."]}';
const away = '{"status":"unavailable","reason":"shutting_down"}';
const isAway = 'plant-store: The service is not ready: shutting_down.\n';

it.each([
  [200, slow, succeeded('ready\n', 'The disk is slow.\n')],
  [200, slow, succeeded(`${slow}\n`, 'The disk is slow.\n'), ' --json'],
  [503, away, failed(isAway)],
  [503, away, failed(isAway, `${away}\n`), ' --json'],
  [200, '<html>Welcome</html>', isNoHealthCheck],
  [404, '{"error":40400,"message":"Nothing is served here."}', isNoHealthCheck],
])('prints warnings, or the reason, for the reply %i %s', async (status, body, expected, option = '') => {
  const url = await listen(createServer((_request, response) => response.writeHead(status).end(body)));
  expect(await useCommands().run(`ready --url ${url}${option}`)).toEqual(expected);
});

it('gives up on a server that does not reply in time', async () => {
  const url = new URL(await listen(createServer(() => undefined)));
  await expect(fetchReadiness(url, 200)).rejects.toThrow('aborted due to timeout');
});
