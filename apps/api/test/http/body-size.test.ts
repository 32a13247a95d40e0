import { expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { expectStored } from '../support/expect-stored.js';
import { composePlantRequest } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { readPlants } from '../support/read-plants.js';
import { openConnection, sendRaw } from '../support/send-raw.js';
import { useTestService } from '../support/start-test-service.js';

const limit = 200;
const service = useTestService({ BODY_MAX_BYTES: String(limit) });

/** The JSON of a plant, in so many bytes with spaces at its end, with a name of one repeated letter. */
function plantOf(bytes: number, letter = 'a'): string {
  const space = bytes - Buffer.byteLength('{"id":1,"name":""}');
  const json = JSON.stringify({ id: 1, name: letter.repeat(space / Buffer.byteLength(letter)) });
  return json + ' '.repeat(bytes - Buffer.byteLength(json));
}

const whole = (body: string, length = Buffer.byteLength(body)) =>
  composePlantRequest(service, body, { 'Content-Length': String(length) });

/** Composes a request whose body is chunked, without a Content-Length. */
function chunked(body: string, chunkBytes: number, lastChunk = '0\r\n\r\n'): Buffer {
  const bytes = Buffer.from(body);
  const framing = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' };
  const parts = [composePlantRequest(service, '', framing)];
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    const chunk = bytes.subarray(start, start + chunkBytes);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from(lastChunk)]);
}

it.each<[string, () => Buffer]>([
  ['one byte too large', () => whole(plantOf(limit + 1))],
  ['of fewer letters than the limit, but more bytes', () => whole(plantOf(limit + 2, '🪴'))],
  ['too large only because of white space', () => whole(`{"id":1,"name":"n"}${' '.repeat(limit)}`)],
  ['announced as too large, before any of it is sent', () => whole('', limit + 1)],
  ['announced as larger than a safe integer', () => whole('', 999_999_999_999_999)],
  ...[1, 7, limit, limit + 1].map((bytes): [string, () => Buffer] => [
    `too large in chunks of ${bytes} bytes`,
    () => chunked(plantOf(limit + 1), bytes),
  ]),
  ['too large before the end of its chunks', () => chunked(plantOf(limit + 1), 50, '')],
  ['too large, and malformed', () => chunked('{"id":1,"name":7,'.padEnd(limit + 1), limit + 1)],
])('rejects a body that is %s', async (_, compose) => {
  const reply = await sendRaw(service.baseUrl, compose());
  expectError(reply, 'body_too_large', `The body is larger than ${limit} bytes.`);
  expect(await readPlants(service)).toEqual([]);
});

it('stores nothing of a body within which the client disconnects', async () => {
  const connection = await openConnection(service.baseUrl);
  const headers = { 'X-Request-Id': 'disconnected', 'Content-Length': '100' };
  connection.write(composePlantRequest(service, '{"id":1,"name":"n","tag":"', headers));
  connection.destroy();
  expect(await readLog(service, 'disconnected')).toMatchObject([{ msg: 'request cut off' }]);
  expect(await readPlants(service)).toEqual([]);
});

it.each<[string, letter: string, compose: (body: string) => Buffer]>([
  ['of letters of one byte', 'a', whole],
  ['of letters of several bytes', '🪴', whole],
  ...[1, 7, limit].map((bytes): [string, string, (body: string) => Buffer] => [
    `in chunks of ${bytes} bytes that split letters`,
    '🪴',
    (body) => chunked(body, bytes),
  ]),
])('stores a body that is exactly as large as allowed, %s', async (_, letter, compose) => {
  await service.database.query('DELETE FROM plants');
  const body = plantOf(limit, letter);
  const row = { id: '1', name: JSON.parse(body).name, tag: null };
  await expectStored(service, sendRaw(service.baseUrl, compose(body)), row);
});

it.each([
  ['whole', 2, () => whole(plantOf(limit * 1_000))],
  ['in chunks', 3, () => chunked(plantOf(limit * 3), 10)],
])('reads the next request behind a body that is too large, sent %s', async (_, id, compose) => {
  const connection = await openConnection(service.baseUrl);
  connection.write(compose());
  expectError(await connection.readReply(), 'body_too_large', /./);
  connection.write(whole(`{"id":${id},"name":"n"}`));
  await expectStored(service, connection.readReply(), { id: String(id), name: 'n', tag: null });
  connection.destroy();
});
