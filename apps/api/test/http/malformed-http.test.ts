import { expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { composePlantRequest } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { openConnection } from '../support/send-raw.js';
import { useTestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

const service = useTestService();

const plant = '{"id":1,"name":"Ivy"}';
/** Composes a create, valid except for these headers. */
const compose = (headers: Readonly<Record<string, string | undefined>> = {}, body = plant) =>
  composePlantRequest(service, body, headers).toString();

it('lets a client wait for 100 Continue, in the order of pipelined requests', async () => {
  const connection = await openConnection(service.baseUrl);
  const read = `GET /openapi.json HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`;
  const [head = ''] = compose({ Expect: '100-continue' }).split(plant);
  connection.write([compose(), read, head].join(''));
  expect(await connection.readReply()).toMatchObject({ status: 200, body: { name: 'Ivy' } });
  expect(await connection.readReply()).toMatchObject({ status: 100 });
  expect(await connection.readReply()).toMatchObject({ status: 200, body: { openapi: '3.1.0' } });
  expect(await connection.readReply()).toMatchObject({ status: 100 });
  connection.write(plant);
  expect(await connection.readReply()).toMatchObject({ status: 200, body: { name: 'Ivy' } });
  connection.destroy();
});

it('rejects malformed HTTP once, even if more of it follows a request in flight', async () => {
  const connection = await openConnection(service.baseUrl);
  const endOutage = await service.database.beginOutage('closed');
  connection.write(compose());
  for (const _ of [1, 2, 3]) {
    connection.write('garbage\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await endOutage();
  expect([200, 503]).toContain((await connection.readReply()).status);
  const rejected = await connection.readReply();
  expectError(rejected, 'bad_request', /HPE_INVALID_METHOD/);
  expect(await connection.readToEnd()).toBe('');
  const ofRequest = () =>
    service.logLines.filter((line) => line.includes(`"${rejected.headers['x-request-id']}"`));
  await until(() => ofRequest().length > 0);
  expect(ofRequest().map((line) => JSON.parse(line).msg)).toEqual(['malformed HTTP']);
});

it('says what to do about a target that is not percent-encoded', async () => {
  const connection = await openConnection(service.baseUrl);
  connection.write(Buffer.from('GET /plants?q=\u00e4 HTTP/1.1\r\nHost: a\r\n\r\n'));
  expectError(await connection.readReply(), 'bad_request', /its target must be a percent-encoded path/);
});

it('sends no second reply to a request whose body turns out malformed after the first', async () => {
  const connection = await openConnection(service.baseUrl);
  const headers = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked', Authorization: undefined };
  connection.write(compose(headers, '1\r\n{\r\n'));
  const reply = await connection.readReply();
  expectError(reply, 'missing_token', /./);
  connection.write('zz\r\n');
  expect(await connection.readToEnd()).toBe('');
  const lines = await readLog(service, reply.headers['x-request-id']);
  expect(lines).toMatchObject([{ status: 401, msg: 'request' }]);
});

it('goes on when the client of a CONNECT disconnects at once', async () => {
  const connection = await openConnection(service.baseUrl);
  connection.write(compose() + compose().replace('POST /plants', 'CONNECT a:1'));
  connection.destroy();
  const next = await openConnection(service.baseUrl);
  next.write(compose());
  expect(await next.readReply()).toMatchObject({ status: 200 });
  next.destroy();
});
