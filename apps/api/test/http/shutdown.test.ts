import { expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { composePlantRequest } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { readPlants } from '../support/read-plants.js';
import { openConnection, type RawConnection, untilRefused } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { viewerPaths } from '../support/viewer-files.js';

const body = '{"id":1,"name":"Monstera"}';

/** Opens a connection with a request in flight, whose body is not sent yet. */
async function openRequestInFlight(service: TestService): Promise<RawConnection> {
  const connection = await openConnection(service.baseUrl);
  const headers = { 'Content-Length': String(body.length), Expect: '100-continue' };
  connection.write(composePlantRequest(service, '', headers));
  expect(await connection.readReply()).toMatchObject({ status: 100 });
  return connection;
}

const largePath = viewerPaths.swaggerUiScript;
/** Together larger than what the operating system buffers of a connection. */
const largeReplies = 10;

/** Opens a connection on which large replies are written that nobody reads yet, and maybe that to one more request. */
async function openConnectionWithReplies(service: TestService, ...last: string[]): Promise<RawConnection> {
  const connection = await openConnection(service.baseUrl);
  const requests = ['GET /nowhere', ...Array<string>(largeReplies).fill(`GET ${largePath}`), ...last];
  connection.write(requests.map((line) => `${line} HTTP/1.1\r\nHost: plants.example\r\n\r\n`).join(''));
  expect(await connection.readReply()).toMatchObject({ status: 404 });
  return connection;
}

it('answers requests in flight, rejects any next one of a connection, and accepts no new connections', async () => {
  const service = await startTestService();
  const connection = await openRequestInFlight(service);
  const others = await Promise.all(
    ['GET /plant', 'POST http://[::1/plants', 'GET x://', 'CONNECT plants.example:443'].map(async (next) => ({
      next,
      other: await openRequestInFlight(service),
    })),
  );
  const stopped = service.stop();
  await untilRefused(service);

  const next = composePlantRequest(service, '{"id":2,"name":"Fern"}');
  // Half a request keeps the connection from being idle, so the service does not stop yet.
  connection.write(Buffer.concat([Buffer.from(body), next.subarray(0, 20)]));
  expect(await connection.readReply()).toMatchObject({ status: 200, body: { name: 'Monstera' } });
  expect(await readPlants(service)).toEqual([{ id: '1', name: 'Monstera', tag: null }]);
  for (const { next, other } of others) {
    other.write(`${body}${next} HTTP/1.1\r\nHost: plants.example\r\n\r\n`);
    expect(await other.readReply()).toMatchObject({ status: 200 });
    expectError(await other.readReply(), 'shutting_down', 'The service is shutting down.');
  }

  connection.write(next.subarray(20));
  const rejected = await connection.readReply();
  expectError(rejected, 'shutting_down', 'The service is shutting down. Try again in 1 second.');
  expect(rejected.headers).toMatchObject({ connection: 'close', 'retry-after': '1' });
  expect(await connection.readToEnd()).toBe('');
  expect(await stopped).toBe(true);
  const lines = await readLog(service, rejected.headers['x-request-id']);
  expect(lines).toMatchObject([{ level: 30, status: 503, msg: 'request' }]);
});

it('closes idle connections, also those without a request, and stops', async () => {
  const service = await startTestService();
  const [idle, unused] = [await openConnection(service.baseUrl), await openConnection(service.baseUrl)];
  idle.write(composePlantRequest(service, body));
  expect(await idle.readReply()).toMatchObject({ status: 200 });
  expect(await service.stop()).toBe(true);
  for (const connection of [idle, unused]) expect(await connection.readToEnd()).toBe('');
});

it('sends the reply that it has begun completely, even if its client begins to read it only now', async () => {
  const service = await startTestService({ SHUTDOWN_TIMEOUT_MS: '60000' });
  const bundle = await (await fetch(`${service.baseUrl}${largePath}`)).text();
  const connection = await openConnectionWithReplies(service);
  const stopped = service.stop();
  await untilRefused(service);
  const received = await connection.readToEnd();
  const replies = received.split(bundle);
  expect(replies.length).toBeGreaterThan(1);
  // The request behind it is the last one that is answered.
  expect(replies.at(-1)).toMatch(/^HTTP\/1.1 503 [\s\S]*\r\nConnection: close\r\n[\s\S]*"error":50302/);
  expect(await stopped).toBe(true);
});

it.each([
  ['an unfinished request', openRequestInFlight],
  ['a CONNECT behind replies that nobody reads', openConnectWithReplies],
])('closes the connection of %s when the time is over, and reports that', async (_, open) => {
  const service = await startTestService({ SHUTDOWN_TIMEOUT_MS: '1' });
  const connection = await open(service);
  expect(await service.stop()).toBe(false);
  expect(await connection.readToEnd()).not.toContain('"Monstera"');
});

function openConnectWithReplies(service: TestService): Promise<RawConnection> {
  return openConnectionWithReplies(service, 'CONNECT plants.example:443');
}
