import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { expectStored } from '../support/expect-stored.js';
import { composePlantRequest, plantRequest, postPlant } from '../support/post-plant.js';
import { readPlants } from '../support/read-plants.js';
import { sendRaw } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const row = { id: '1', name: 'Café 🪴', tag: null };
const body = JSON.stringify({ id: 1, name: row.name });

describe('a request that is rejected', () => {
  afterEach(async () => expect(await readPlants(service)).toEqual([]));

  it('has no content type', async () => {
    const reply = await plantRequest(service).send(body).unset('Content-Type');
    expectError(reply, 'unsupported_content_type', 'There is no content type.');
  });

  it('has an empty content type', async () => {
    const request = composePlantRequest(service, body, { 'Content-Type': '' });
    expectError(
      await sendRaw(service.baseUrl, request),
      'unsupported_content_type',
      'The content type is "".',
    );
  });

  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/vnd.api+json',
    'application/problem+json',
    'application/jsonp',
    'application/json5',
    'application/json/x',
    'application /json',
    'application',
    'json',
    '*/*',
    ';;;',
    'text/plain; application/json',
    'application/json, text/plain',
    'application/json; charset=utf-16',
    'application/json; charset=UTF-16LE',
    'application/json; charset="utf-16"',
    'application/json; charset=iso-8859-1',
    'application/json; charset=latin1',
    'application/json; charset=us-ascii',
    'application/json; charset=utf8',
    'application/json; charset=utf-7',
    'application/json; charset=',
    'application/json; x=1; CHARSET=utf-16',
  ])('has the content type %j', async (contentType) => {
    const reply = await plantRequest(service).set('Content-Type', contentType).send(body);
    expectError(reply, 'unsupported_content_type', `The content type is "${contentType}".`);
  });

  it('has a content type too long to be quoted in full', async () => {
    const reply = await plantRequest(service)
      .set('Content-Type', `text/${'x'.repeat(5_000)}`)
      .send(body);
    expectError(reply, 'unsupported_content_type', /^The content type is "text\/x{1,100}…"\. Send/);
  });

  it.each([
    ['gzip', gzipSync(body)],
    ['GZIP', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['br', Buffer.from(body)],
    ['identity, gzip', gzipSync(body)],
    ['gzip, identity', gzipSync(body)],
    ['nonsense', Buffer.from(body)],
  ])('has the content coding %s', async (coding, bytes) => {
    const request = composePlantRequest(service, bytes, { 'Content-Encoding': coding });
    expectError(
      await sendRaw(service.baseUrl, request),
      'unsupported_content_type',
      `The content coding is "${coding}".`,
    );
  });

  it('is compressed without a Content-Encoding', async () => {
    const request = composePlantRequest(service, gzipSync(body));
    expectError(await sendRaw(service.baseUrl, request), 'malformed_json', 'it is not in UTF-8');
  });
});

describe('a request that is accepted', () => {
  it.each([
    'application/json',
    'APPLICATION/JSON',
    'Application/Json',
    'application/json; charset=utf-8',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json; Charset=Utf-8',
    'application/json; charset="utf-8"',
    'application/json ; charset=utf-8',
    'application/json;\tcharset=utf-8',
    'application/json; profile="https://plants.example/x;y=\\"z\\""; charset=utf-8',
    'application/json; version=1',
    'application/json;',
  ])('has the content type %j', async (contentType) => {
    const request = plantRequest(service).set('Content-Type', contentType).send(body);
    await expectStored(service, request, row);
  });

  it.each(['identity', 'Identity'])('has the content coding %s', async (coding) => {
    await expectStored(service, plantRequest(service).set('Content-Encoding', coding).send(body), row);
  });

  it('accepts only another type, and still gets JSON', async () => {
    const request = postPlant(service, body).set('Accept', 'text/html');
    await expectStored(service, request, row);
  });
});
