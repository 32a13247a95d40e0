import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { expectStored } from '../support/expect-stored.js';
import { composePlantRequest, postPlant } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { readPlants } from '../support/read-plants.js';
import { openConnection, sendRaw } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

const limit = 200;
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ BODY_MAX_BYTES: String(limit) });
});
afterAll(() => service.stop());

const tooLarge = `The body is larger than ${limit} bytes.`;

/** Creates a plant whose JSON has this many bytes, with a name of one repeated letter. */
function plantOf(bytes: number, { id = 1, letter = 'a' } = {}): { body: string; name: string } {
  const space = bytes - Buffer.byteLength(JSON.stringify({ id, name: '' }));
  const name = letter.repeat(Math.floor(space / Buffer.byteLength(letter)));
  const json = JSON.stringify({ id, name });
  return { body: json + ' '.repeat(bytes - Buffer.byteLength(json)), name };
}

/** Composes a request whose body is chunked, without a Content-Length. */
function composeChunked(body: string, chunkBytes: number, lastChunk = '0\r\n\r\n'): Buffer {
  const bytes = Buffer.from(body);
  const parts = [
    composePlantRequest(service, '', { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }),
  ];
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    const chunk = bytes.subarray(start, start + chunkBytes);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from(lastChunk)]);
}

describe('a body that is rejected', () => {
  afterEach(async () => expect(await readPlants(service)).toEqual([]));

  it('is one byte too large', async () => {
    expectError(await postPlant(service, plantOf(limit + 1).body), 'body_too_large', tooLarge);
  });

  it('has fewer letters than the limit, but more bytes', async () => {
    const { body } = plantOf(limit + 2, { letter: '🪴' });
    expect(body.length).toBeLessThan(limit);
    expectError(await postPlant(service, body), 'body_too_large', tooLarge);
  });

  it('is too large only because of whitespace', async () => {
    expectError(
      await postPlant(service, `{"id":1,"name":"n"}${' '.repeat(limit)}`),
      'body_too_large',
      tooLarge,
    );
  });

  it('is announced as too large, before any of it is sent', async () => {
    const request = composePlantRequest(service, '', { 'Content-Length': String(limit + 1) });
    expectError(await sendRaw(service.baseUrl, request), 'body_too_large', tooLarge);
  });

  it('is announced as larger than a safe integer', async () => {
    const request = composePlantRequest(service, '', { 'Content-Length': '9'.repeat(18) });
    expectError(await sendRaw(service.baseUrl, request), 'body_too_large', tooLarge);
  });

  it.each([1, 7, limit, limit + 1])('is too large in chunks of %d bytes', async (chunkBytes) => {
    const request = composeChunked(plantOf(limit + 1).body, chunkBytes);
    expectError(await sendRaw(service.baseUrl, request), 'body_too_large', tooLarge);
  });

  it('is too large before the end of its chunks', async () => {
    const request = composeChunked(plantOf(limit + 1).body, 50, '');
    expectError(await sendRaw(service.baseUrl, request), 'body_too_large', tooLarge);
  });

  it.each(['name', 'tag', 'unknown'])(
    'is incomplete: the client disconnected within its %s',
    async (field) => {
      const requestId = `disconnected-in-${field}`;
      const headers = { 'X-Request-Id': requestId, 'Content-Length': '100' };
      const connection = await openConnection(service.baseUrl);
      connection.write(composePlantRequest(service, `{"id":1,"name":"n","${field}":"`, headers));
      connection.destroy();
      expect(await readLog(service, requestId)).toMatchObject([{ msg: 'request cut off' }]);
    },
  );
});

describe('a body that is accepted', () => {
  it('is exactly as large as allowed', async () => {
    const { body, name } = plantOf(limit, { id: 10 });
    await expectStored(service, postPlant(service, body), { id: '10', name, tag: null });
  });

  it('is exactly as large as allowed, in letters of several bytes', async () => {
    const { body, name } = plantOf(limit, { id: 11, letter: '🪴' });
    await expectStored(service, postPlant(service, body), { id: '11', name, tag: null });
  });

  it.each([
    [1, 12],
    [7, 13],
    [limit, 14],
  ])('comes in chunks of %d bytes that split letters', async (chunkBytes, id) => {
    const { body, name } = plantOf(limit, { id, letter: '🪴' });
    const request = sendRaw(service.baseUrl, composeChunked(body, chunkBytes));
    await expectStored(service, request, { id: String(id), name, tag: null });
  });

  it.each([
    ['whole', 15, () => composePlantRequest(service, plantOf(limit * 1_000).body)],
    ['in chunks', 16, () => composeChunked(plantOf(limit * 3).body, 10)],
  ])('follows one that was too large, sent %s, on the same connection', async (_how, id, compose) => {
    const connection = await openConnection(service.baseUrl);
    connection.write(compose());
    expectError(await connection.readReply(), 'body_too_large', tooLarge);
    connection.write(composePlantRequest(service, `{"id":${id},"name":"n"}`));
    await expectStored(service, connection.readReply(), { id: String(id), name: 'n', tag: null });
    connection.destroy();
  });
});

describe('without a configured limit', () => {
  const mebibyte = 2 ** 20;
  let unconfigured: TestService;
  beforeAll(async () => {
    unconfigured = await startTestService();
  });
  afterAll(() => unconfigured.stop());

  it('rejects a body of more than 1 MiB', async () => {
    const reply = await postPlant(unconfigured, { id: 1, name: 'a'.repeat(mebibyte) });
    expectError(reply, 'body_too_large', 'larger than 1048576 bytes');
    expect(await readPlants(unconfigured)).toEqual([]);
  });

  it.each([
    [1, 'a'],
    [2, '🪴'],
  ])('stores a body of exactly 1 MiB: plant %d, of %s', async (id, letter) => {
    const { body, name } = plantOf(mebibyte, { id, letter });
    await expectStored(unconfigured, postPlant(unconfigured, body), { id: String(id), name, tag: null });
  });
});
