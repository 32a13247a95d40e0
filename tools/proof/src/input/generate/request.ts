import { type Route, routes } from '@plant-store/contract/routes';
import fc from 'fast-check';
import { type Body, batchBody, body, renderBody } from './body.js';
import { authorization, contentType, header, listTarget, method, plantTarget, target } from './head-parts.js';
import { fillIds, type RequestIds } from './json-text.js';

/** What a request asks for. */
interface Call {
  readonly method: string;
  readonly target: string;
  readonly body: Body;
}

/** A request before its token and its ids are filled in. */
export interface Request extends Call {
  readonly version: string;
  /** Complete lines, without those that frame the body. `TOKEN` stands for the access token. */
  readonly headers: readonly string[];
  /** The sizes of its chunks, or none if it comes with its length. */
  readonly chunks: readonly number[] | undefined;
}

/** Mostly what is usual, now and then another. */
function rarely<T, Other = T>(usual: T, others: fc.Arbitrary<Other>): fc.Arbitrary<T | Other> {
  return fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others });
}

const chunks = fc.option(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }), {
  nil: undefined,
  freq: 3,
});

/** A request of an operation. What reads no body may have one that does not count. */
function callOf(
  { method: own, path }: Route,
  parts: { readonly target?: fc.Arbitrary<string>; readonly body?: fc.Arbitrary<Body> } = {},
): fc.Arbitrary<Call> {
  const methods = own === 'GET' ? rarely<string>(own, fc.constant('HEAD')) : fc.constant(own);
  return fc.record({ method: methods, target: fc.constant(path), body, ...parts });
}

const calls: Record<keyof typeof routes, fc.WeightedArbitrary<Call>> = {
  createPlant: { weight: 5, arbitrary: callOf(routes.createPlant) },
  createPlants: { weight: 2, arbitrary: callOf(routes.createPlants, { body: batchBody }) },
  deletePlant: { weight: 1, arbitrary: callOf(routes.deletePlant, { target: plantTarget }) },
  getPlant: { weight: 1, arbitrary: callOf(routes.getPlant, { target: plantTarget }) },
  listPlants: { weight: 1, arbitrary: callOf(routes.listPlants, { target: listTarget }) },
};
const call = fc.oneof(...Object.values(calls));

/** An operation in a valid request. */
export const plainRequest: fc.Arbitrary<Request> = fc
  .tuple(call, rarely(undefined, chunks))
  .map(([called, sizes]) => ({
    ...called,
    version: 'HTTP/1.1',
    headers: [
      'Host: a',
      'Authorization: Bearer TOKEN',
      ...(called.method === 'POST' ? ['Content-Type: application/json'] : []),
    ],
    chunks: sizes,
  }));

/** Any request. */
export const variedRequest: fc.Arbitrary<Request> = fc
  .record({
    called: call,
    method: rarely(undefined, method),
    target: rarely(undefined, target),
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
    chunks,
  })
  .map(({ called, method = called.method, target = called.target, ...head }) => ({
    ...head,
    method,
    target,
    body: called.body,
  }));

/** The bytes of a request. */
export function renderRequest(request: Request, token: string, ids: RequestIds): Buffer {
  const rendered = renderBody(request.body, ids);
  const requestLine = `${request.method} ${fillIds(request.target, ids)} ${request.version}`;
  const head = [requestLine, ...request.headers].join('\r\n');
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
