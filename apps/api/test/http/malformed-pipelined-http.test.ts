import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { composePlantRequest } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { openConnection } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const chunked = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' };

/** Composes a request, valid except for these headers. */
function compose(content: string, headers: Readonly<Record<string, string | undefined>> = {}): string {
  return composePlantRequest(service, content, headers).toString();
}

describe('malformed HTTP on a connection with other requests', () => {
  it('is rejected after a valid request, whose reply comes first', async () => {
    const connection = await openConnection(service.baseUrl);
    connection.write(`${compose('{"id":20,"name":"Ivy"}')}garbage\r\n\r\n`);
    expect(await connection.readReply()).toMatchObject({ status: 200, body: { name: 'Ivy' } });
    expectError(await connection.readReply(), 'bad_request', /HPE_INVALID_METHOD/);
    expect(await connection.readToEnd()).toBe('');
  });

  it('is rejected after two valid requests, if only its body is malformed', async () => {
    const connection = await openConnection(service.baseUrl);
    const valid = [30, 31].map((id) => compose(`{"id":${id},"name":"Ivy"}`)).join('');
    connection.write(`${valid}${compose('zz\r\n{"id":32,"name":"Ivy"}', chunked)}`);
    for (const _ of [30, 31]) expect(await connection.readReply()).toMatchObject({ status: 200 });
    expectError(await connection.readReply(), 'bad_request', /HPE_INVALID_CHUNK_SIZE/);
    expect(await connection.readToEnd()).toBe('');
  });

  it('is rejected once, even if more of it follows a request in flight', async () => {
    const connection = await openConnection(service.baseUrl);
    const endOutage = await service.database.beginOutage('closed');
    connection.write(compose('{"id":40,"name":"Ivy"}'));
    for (const _ of [1, 2, 3]) {
      connection.write('garbage\r\n\r\n');
      await sleep(50);
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

  it('gets no second reply if its request was already answered', async () => {
    const connection = await openConnection(service.baseUrl);
    const headers = { ...chunked, Authorization: undefined };
    connection.write(compose('1\r\n{\r\n', headers));
    const reply = await connection.readReply();
    expectError(reply, 'missing_token', /./);
    connection.write('zz\r\n');
    expect(await connection.readToEnd()).toBe('');
    const lines = await readLog(service, reply.headers['x-request-id']);
    expect(lines).toMatchObject([{ status: 401, msg: 'request' }]);
  });
});
