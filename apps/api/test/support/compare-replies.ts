import { expect } from 'vitest';
import { openConnection } from './send-raw.js';

/** A service whose replies are compared, with `comparedSettings`. */
export interface ComparedService {
  readonly baseUrl: string;
  /** A valid access token. */
  readonly token: string;
}

/** The settings of services whose replies are compared. */
export const comparedSettings = {
  BODY_MAX_BYTES: '100',
  CORS_ORIGINS: 'https://app.example',
  RATE_LIMIT_PER_MINUTE: '100',
};

const chunked = 'Content-Type: application/json\r\nTransfer-Encoding: chunked';
const fern = '{"id":1,"name":"Fern","tag":"shade"}';

/** Requests for every kind of reply, as sent over the wire; `<TOKEN>` is replaced with a valid token. */
const requests: readonly (readonly [kind: string, text: string])[] = [
  ['a plant is stored', post(fern)],
  ['it is stored already', post(fern)],
  ['its id is taken', post('{"id":1,"name":"Moss"}')],
  ['a text is not ASCII', post('{"id":2,"name":"Fougère \u{1f33f}"}')],
  ['an id is beyond 2^53', post('{"id":9223372036854775807,"name":"Fern"}')],
  ['the body is not JSON', post('{')],
  ['the body is not a plant', post('{"id":"x"}')],
  ['the body is chunked', post(`5\r\n${fern.slice(0, 5)}\r\n1f\r\n${fern.slice(5)}\r\n0\r\n\r\n`, chunked)],
  ['the body is too large', post(' '.repeat(200))],
  ['the content type is another', post(fern, 'Content-Type: text/plain')],
  ['the token is missing', 'POST /plants HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'],
  ['the token is unknown', request('POST', '/plants', 'Authorization: Bearer none\r\nContent-Length: 0')],
  ['the method is another', request('DELETE', '/plants', 'Origin: https://app.example')],
  ['the path is another', request('GET', '/nowhere')],
  ['there is no Host', 'GET /plants HTTP/1.1\r\nX-Request-Id: a\r\n\r\n'],
  ['the request is HEAD', request('HEAD', '/nowhere')],
  ['the target is invalid', request('GET', 'ftp://x/plants')],
  ['the request is HTTP/1.0', 'GET /plants HTTP/1.0\r\nX-Request-Id: a\r\n\r\n'],
  ['the request is CONNECT', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\n\r\n'],
  ['the request is not HTTP', 'nothing\r\n\r\n'],
  ['it is the document', request('GET', '/openapi.json')],
  ['it is a page', request('GET', '/docs')],
  ['a page has no such method', request('POST', '/docs')],
  ['a page does not exist', request('GET', '/docs/none')],
  ['a page is compressed', request('GET', '/docs', 'Accept-Encoding: br')],
  ['a page has not changed', request('GET', '/docs', 'If-None-Match: *')],
  ['an origin is allowed', request('GET', '/nowhere', 'Origin: https://app.example')],
  [
    'it is a preflight',
    request('OPTIONS', '/plants', 'Origin: https://app.example\r\nAccess-Control-Request-Method: POST'),
  ],
  ['the connection is closed', request('GET', '/nowhere', 'Connection: close')],
  ['a continuation is expected', post(fern, `Content-Type: application/json\r\nExpect: 100-continue`)],
  [
    'a continuation is expected of a body that is too large',
    post(' '.repeat(200), `Content-Type: application/json\r\nExpect: 100-continue`),
  ],
  ['an expectation is unknown', post(fern, `Content-Type: application/json\r\nExpect: 200-ok`)],
  ['two requests are pipelined', post(fern) + request('GET', '/nowhere')],
  ['an error is pipelined before a create', request('GET', '/nowhere') + post(fern)],
  ['a pipelined request is not HTTP', `${post(fern)}nothing\r\n\r\n`],
  [
    'a pipelined request after the last one is not HTTP',
    `${request('GET', '/nowhere', 'Connection: close')}nothing\r\n\r\n`,
  ],
  ['a request of HTTP/1.0 is pipelined', `${request('GET', '/nowhere').replace('1.1', '1.0')}${post(fern)}`],
  ['an id is a fraction', post('{"id":1.0,"name":"Fern"}')],
  ['an id has an exponent', post('{"id":1e2,"name":"Fern"}')],
  ['an id is beyond int64', post('{"id":9223372036854775808,"name":"Fern"}')],
  ['a member is twice in the body', post('{"id":7,"id":8,"name":"Fern"}')],
  ['the body is as large as it may be', post(`{"id":9,"name":"${'a'.repeat(82)}"}`)],
  ['the body is a byte larger', post(`{"id":9,"name":"${'a'.repeat(83)}"}`)],
  ['the body is unfinished', post(fern).slice(0, -1)],
  ['the head is unfinished', 'POST /plants HTTP/1.1\r\nHost: x\r\n'],
  ['the chunks are not valid', post('z\r\n\r\n', chunked)],
  ['the last chunk is missing', post(`5\r\n${fern.slice(0, 5)}\r\n`, chunked)],
  ['there are two lengths', post(fern, 'Content-Type: application/json\r\nContent-Length: 1')],
  ['a header is too long', request('GET', '/plants', `X-Long: ${'a'.repeat(20_000)}`)],
  [
    'there are too many headers',
    request('GET', '/plants', Array.from({ length: 200 }, (_, i) => `X-${i}: a`).join('\r\n')),
  ],
  ['the body is empty', post('')],
  ['a character is split', post('{"id":3,"name":"\u{1f33f}"}').replace('\u{1f33f}', '\ufffd')],
  ['an upgrade is asked for', request('GET', '/nowhere', 'Connection: Upgrade\r\nUpgrade: websocket')],
];

function request(method: string, path: string, headers?: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\n${headers ? `${headers}\r\n` : ''}\r\n`;
}

function post(body: string, headers = 'Content-Type: application/json'): string {
  const length = headers.includes('chunked') ? '' : `\r\nContent-Length: ${Buffer.byteLength(body)}`;
  return request('POST', '/plants', `Authorization: Bearer <TOKEN>\r\n${headers}${length}`) + body;
}

/**
 * Sends the same requests to two services, and expects the same bytes. Each client closes its sending side right behind its
 * request.
 */
export async function compareReplies(expected: ComparedService, actual: ComparedService): Promise<void> {
  for (const [kind, text] of requests) {
    const reply = await send(expected, text);
    expect(reply.length, kind).toBeGreaterThan(0);
    expect(await send(actual, text), kind).toEqual(reply);
  }
}

/** Sends a request and reads the bodies and the sorted heads of the replies, with varying values replaced. */
async function send({ baseUrl, token }: ComparedService, text: string): Promise<readonly string[][]> {
  const connection = await openConnection(baseUrl);
  connection.write(text.replace('<TOKEN>', token));
  connection.end();
  const replies = (await connection.readToEnd()).split(/(?=HTTP\/1\.1 \d{3} )/);
  return replies.map((reply) => {
    const headEnd = reply.indexOf('\r\n\r\n');
    return [...toComparableHead(reply.slice(0, headEnd)), reply.slice(headEnd)];
  });
}

function toComparableHead(head: string): string[] {
  return head
    .replace(/^Date: .*$/m, 'Date: any')
    .replace(/^X-Request-Id: [\da-f-]{36}$/m, 'X-Request-Id: generated')
    .replace(/^(RateLimit: .*; t=)\d+/m, '$1any')
    .split('\r\n')
    .toSorted();
}
