import { expect } from 'vitest';
import { plant, rawBodies, rawRequests } from './raw-requests.js';
import { openConnection } from './send-raw.js';
import type { TestService } from './start-test-service.js';

/** A service whose replies are compared, with `comparedSettings`. */
type ComparedService = Pick<TestService, 'baseUrl' | 'token'>;

/** The settings of services whose replies are compared. */
export const comparedSettings = {
  BODY_MAX_BYTES: '100000',
  CORS_ORIGINS: 'https://app.example',
  RATE_LIMIT_PER_MINUTE: '100000',
};

const origin = 'Origin: https://app.example';
const type = 'Content-Type: application/json';
const authorization = 'Authorization: Bearer TOKEN';

/** Requests for every kind of reply, as Latin-1; `TOKEN` stands for a valid token. */
const requests: readonly (readonly [kind: string, bytes: string])[] = [
  ['a plant is stored', post(plant)],
  ['it is stored already', post(plant)],
  ['its id is taken', post('{"id":1,"name":"Moss"}')],
  ['a plant has a tag', post('{"id":2,"name":"Fern","tag":"shade"}')],
  ['a text is not ASCII', post(Buffer.from('{"id":3,"name":"Fougère \u{1f33f}"}').toString('latin1'))],
  ['a plant is shown', request('GET', '/plants/1', authorization)],
  ['its head is asked for', request('HEAD', '/plants/1', authorization)],
  ['it is known', request('GET', '/plants/1', `${authorization}\r\nIf-None-Match: *`)],
  ['it is updated', put('/plants/1', 'If-Match: *')],
  ['it is another one', put('/plants/2', 'If-Match: "x"')],
  ['it has no precondition', put('/plants/1', 'X-None: *')],
  ['a precondition is invalid', put('/plants/1', 'If-Match: x')],
  ['the body is too large', post(' '.repeat(100_001))],
  ['the token is missing', 'POST /plants HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'],
  ['the token is unknown', request('POST', '/plants', 'Authorization: Bearer none\r\nContent-Length: 0')],
  ['the method is another', request('DELETE', '/plants', origin)],
  ['there is no Host', 'GET /plants HTTP/1.1\r\nX-Request-Id: a\r\n\r\n'],
  ['the request is HEAD', request('HEAD', '/nowhere')],
  ['the request is CONNECT', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\n\r\n'],
  ['it is the document', request('GET', '/openapi.json')],
  ['it is a page', request('GET', '/docs')],
  ['a page has no such method', request('POST', '/docs')],
  ['a page does not exist', request('GET', '/docs/none')],
  ['a page is compressed', request('GET', '/docs', 'Accept-Encoding: br')],
  ['a page has not changed', request('GET', '/docs', 'If-None-Match: *')],
  ['an origin is allowed', request('GET', '/nowhere', origin)],
  ['it is a preflight', request('OPTIONS', '/plants', `${origin}\r\nAccess-Control-Request-Method: POST`)],
  ['a large body awaits 100', post(' '.repeat(100_001), `${type}\r\nExpect: 100-continue`)],
  ['there are many headers', request('GET', '/plants', Array(200).fill('X-A: a').join('\r\n'))],
  ...Object.values(rawRequests).flatMap((cases) => cases.map(([kind, bytes]) => [kind, bytes] as const)),
  ...rawBodies.map(([body]) => [`the body is ${body.slice(0, 100)}`, post(body)] as const),
];

function request(method: string, path: string, headers?: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\n${headers ? `${headers}\r\n` : ''}\r\n`;
}

function put(path: string, precondition: string): string {
  const body = '{"name":"Ivy"}';
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${precondition}`;
  return request('PUT', path, `${authorization}\r\n${headers}`) + body;
}

function post(body: string, headers = type): string {
  const length = `Content-Length: ${body.length}`;
  return request('POST', '/plants', `${authorization}\r\n${length}\r\n${headers}`) + body;
}

/**
 * Sends the same requests to two services, and expects the same bytes. Each client closes its sending side right behind its
 * request.
 */
export async function compareReplies(expected: ComparedService, actual: ComparedService): Promise<void> {
  for (const [kind, bytes] of requests) {
    const reply = await send(expected, bytes);
    expect(reply.length, kind).toBeGreaterThan(0);
    expect(await send(actual, bytes), kind).toEqual(reply);
  }
}

/** Sends a request and reads the bodies and the sorted heads of the replies, with varying values replaced. */
async function send({ baseUrl, token }: ComparedService, bytes: string): Promise<readonly string[][]> {
  const connection = await openConnection(baseUrl);
  connection.write(Buffer.from(bytes.replaceAll('TOKEN', token), 'latin1'));
  connection.end();
  const replies = (await connection.readToEnd()).split(/(?=HTTP\/1\.1 \d{3} )/);
  return replies.map((reply) => {
    const headEnd = reply.indexOf('\r\n\r\n');
    const head = reply
      .slice(0, headEnd)
      .replace(/^Date: .*$/m, 'Date: any')
      .replace(/^X-Request-Id: [\da-f-]{36}$/m, 'X-Request-Id: generated')
      // That of a plant differs with its time.
      .replace(/^ETag: "[\w-]{22}"$/m, 'ETag: any')
      .replace(/^(RateLimit: .*; t=)\d+/m, '$1any');
    const body = reply.slice(headEnd).replaceAll(/"addedAt":"[^"]+"/g, 'addedAt');
    return [...head.split('\r\n').toSorted(), body];
  });
}
