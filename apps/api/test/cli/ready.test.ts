import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { requireReady } from '../../src/cli/ready.js';
import { OperatorError } from '../../src/errors/operator-error.js';
import { runCommand, startServe } from '../support/process/run-command.js';
import { runInProcess } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Starts a server on loopback that answers each request alike, and returns its URL. */
async function startAnswering(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answering =
  (status: number, body: string): RequestListener =>
  (_request, response) =>
    response.writeHead(status).end(body);

/** Runs `ready` and returns its result. */
function askReady(args: readonly string[] = [], environment: Record<string, string> = {}) {
  return runInProcess(['ready', ...args], { folder: temporaryFolder(), environment });
}

it('succeeds while a service is ready, found by its settings or by its URL', async () => {
  const environment = { ADMIN_PORT: '0' };
  const { command } = await startServe({ folder: temporaryFolder(), environment });
  const [, adminUrl = ''] = await command.waitFor(/"adminUrl":"([^"]+)"/);
  const { port } = new URL(adminUrl);
  const succeeded = { exitCode: 0, stdout: 'ready\n', stderr: '' };
  expect(await askReady(['--url', adminUrl])).toEqual(succeeded);
  // As a health check runs it: in a process of its own.
  const call = { folder: temporaryFolder(), environment: { ADMIN_PORT: port } };
  expect(await runCommand(['ready'], call)).toEqual(succeeded);
  expect(await askReady([], { ADMIN_PORT: port, ADMIN_HOST: '0.0.0.0' })).toEqual(succeeded);
  await command.end('SIGTERM');

  const stopped = await askReady(['--url', adminUrl]);
  expect(stopped).toMatchObject({ exitCode: 1, stdout: '' });
  expect(stopped.stderr).toContain(`${adminUrl}/readyz does not reply: connect ECONNREFUSED`);
  expect(stopped.stderr).toContain('Start the service with ADMIN_PORT');
});

it('prints the warnings of a service that is ready', async () => {
  const url = await startAnswering(answering(200, '{"status":"ready","warnings":["The disk is slow."]}'));
  expect(await askReady(['--url', url])).toEqual({
    exitCode: 0,
    stdout: 'ready\n',
    stderr: 'The disk is slow.\n',
  });
});

it('fails with the reason while a service is not ready', async () => {
  const url = await startAnswering(answering(503, '{"status":"unavailable","reason":"shutting_down"}'));
  expect(await askReady(['--url', url])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'plant-store: The service is not ready: shutting_down.\n',
  });
});

it.each([
  [200, '<html>Welcome</html>'],
  [200, '{"status":"live"}'],
  [404, '{"error":40400,"message":"Nothing is served here."}'],
])('fails for a server that is no admin port: %i %s', async (status, body) => {
  const url = await startAnswering(answering(status, body));
  const { exitCode, stderr } = await askReady(['--url', url]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`${url}/readyz is not the health check of a Plant Store.`);
});

it('fails for a server that does not reply in time', async () => {
  const url = await startAnswering(() => undefined);
  const context = { message: vi.fn(), print: vi.fn() };
  const asking = requireReady(new URL(url), context, 200);
  await expect(asking).rejects.toBeInstanceOf(OperatorError);
  await expect(asking).rejects.toThrow('does not reply: The operation was aborted due to timeout');
  expect(context.print).not.toHaveBeenCalled();
});

it('needs to know which port to ask', async () => {
  const { exitCode, stderr } = await askReady();
  expect(exitCode).toBe(2);
  expect(stderr).toContain('set ADMIN_PORT as for the service, or pass its URL as --url');
});
