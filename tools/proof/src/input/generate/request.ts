import fc from 'fast-check';
import { type Body, body, renderBody } from './body.js';
import { authorization, contentType, header, method, readTarget, target } from './head-parts.js';

/** A request before its token and its unique id are filled in. */
export interface Request {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  /** Complete lines, without those that frame the body. `TOKEN` stands for the access token. */
  readonly headers: readonly string[];
  readonly body: Body;
  /** The sizes of its chunks, or none if it comes with its length. */
  readonly chunks: readonly number[] | undefined;
}

/** Mostly what is usual, now and then another. */
function rarely<T>(usual: T, others: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others });
}

const chunks = fc.option(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }), {
  nil: undefined,
  freq: 3,
});

/** A body of any kind in a valid request. */
export const plainRequest: fc.Arbitrary<Request> = fc.record({
  method: fc.constant('POST'),
  target: fc.constant('/plants'),
  version: fc.constant('HTTP/1.1'),
  headers: fc.constant(['Host: a', 'Authorization: Bearer TOKEN', 'Content-Type: application/json']),
  body,
  chunks: rarely(undefined, chunks),
});

/** A read, which may have a body that does not count. */
export const readRequest: fc.Arbitrary<Request> = fc.record({
  method: rarely('GET', fc.constant('HEAD')),
  target: readTarget,
  version: fc.constant('HTTP/1.1'),
  headers: fc.constant(['Host: a', 'Authorization: Bearer TOKEN']),
  body,
  chunks: fc.constant(undefined),
});

/** Any request. */
export const variedRequest: fc.Arbitrary<Request> = fc.record({
  method: rarely('POST', method),
  target: rarely('/plants', target),
  version: rarely(
    'HTTP/1.1',
    fc.constantFrom('HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 ', 'HTTP/0.9'),
  ),
  headers: fc
    .tuple(
      rarely('a', fc.constantFrom('', 'a b', 'a:80', '[::1]', 'a@b')),
      rarely('Bearer TOKEN', authorization),
      rarely('application/json', contentType),
      rarely<string[]>([], fc.array(header, { minLength: 1, maxLength: 3 })),
    )
    .map(([host, token, type, others]) => [
      `Host: ${host}`,
      `Authorization: ${token}`,
      `Content-Type: ${type}`,
      ...others,
    ]),
  body,
  chunks,
});

/** The bytes of a request. */
export function renderRequest(request: Request, token: string, id: bigint): Buffer {
  const rendered = renderBody(request.body, id);
  const head = [`${request.method} ${request.target} ${request.version}`, ...request.headers].join('\r\n');
  const framing =
    request.chunks === undefined ? `Content-Length: ${rendered.length}` : 'Transfer-Encoding: chunked';
  return Buffer.concat([
    Buffer.from(`${head.replaceAll('TOKEN', token)}\r\n${framing}\r\n\r\n`, 'latin1'),
    request.chunks === undefined ? rendered : renderChunks(rendered, request.chunks),
  ]);
}

function renderChunks(bytes: Buffer, sizes: readonly number[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    const part = bytes.subarray(at, at + size);
    if (part.length > 0)
      parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
    at += part.length;
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
