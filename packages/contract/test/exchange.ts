import { type ErrorName, errors } from '../src/errors.js';
import { INT64_MAX, INT64_MIN } from '../src/int64.js';
import { messages } from '../src/messages.js';

/** A request to a plant store. */
export interface Request {
  /** The method and the target, such as `GET /plants/1`. `<next>` in it stands for the last `next` of a page. */
  readonly line: string;
  /**
   * In place of a valid token and `application/json`, or besides; `TOKEN` stands for the token, `SECRET` for the last one of a reply,
   * `ETAG` for the last one of a reply or of a result, `OPAQUE` for what that has in its quotes, and `undefined` omits a header.
   */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** `ETAG` and `OPAQUE` in a text stand for the same, within a string of JSON. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** What plant stores must agree on of a reply. */
export interface Reply {
  readonly status: number;
  /** The text, in which the time of now is `now`, the `next` of a page, a new token and an `etag` `…`, and no time of a last use. */
  readonly body: string;
  /** Those that count, by lower-case name: `x-request-id` unless it is a new one. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What is special about a request, the request, and its reply. Cases in a list follow each other in one plant store. */
export type Case = readonly [title: string, request: Request, reply: Reply];

/** Cases of requests that all get one reply; each is named by what is sent. */
export function each(reply: Reply, ...requests: readonly Request[]): readonly Case[] {
  return requests.map((request) => {
    const headers = JSON.stringify(request.headers, (_, value) => value ?? null);
    const sent = [request.line, headers, request.body].filter(Boolean).join(' ');
    return [`${sent.slice(0, 120)}: ${reply.status}`, request, reply];
  });
}

/** A reply of success with a body of JSON. */
export function ok(body: string, headers: Reply['headers'] = {}): Reply {
  return { status: 200, body, headers: { 'content-type': json, ...headers } };
}

/** An Error body. */
export function rejected(name: ErrorName, message: string, headers: Reply['headers'] = {}): Reply {
  const { status, error } = errors[name];
  return { ...ok(JSON.stringify({ error, message }), headers), status };
}

const json = 'application/json; charset=utf-8';
export const int64 = `must be an integer from ${INT64_MIN} to ${INT64_MAX}`;
export const malformed = (problem: string) => rejected('malformed_json', messages.malformedJson(problem));
export const unauthorized = { Authorization: undefined };
const challenge = { 'www-authenticate': 'Bearer realm="plant-store"' };
export const missingToken = rejected('missing_token', messages.missingToken, challenge);
export const noToken = (one: Request): Case => ['no token', { ...one, headers: unauthorized }, missingToken];
const compared = ['content-type', 'www-authenticate', 'allow', 'idempotent-replayed'];
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A plant store, and a token that it accepts. */
export interface Store {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly baseUrl: string;
  readonly token: string;
}

/** Creates a function that sends requests to a plant store, and reads what is compared of their replies. */
export function createExchange({ fetch, baseUrl, token }: Store): (request: Request) => Promise<Reply> {
  let next = '';
  let etag = '';
  let secret = '';
  let addedAt = '';
  const fill = (header: string) =>
    header
      .replaceAll('TOKEN', token)
      .replace('ETAG', etag)
      .replace('OPAQUE', etag.slice(1, -1))
      .replace('SECRET', secret);
  return async ({ line, headers, body = null }) => {
    const [method = '', target] = line
      .replace('<next>', encodeURIComponent(next))
      .replace('<addedAt>', addedAt)
      .split(' ');
    const given = { 'Content-Type': 'application/json', Authorization: 'Bearer TOKEN', ...headers };
    const sent = Object.entries(given).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, fill(value)]],
    );
    const filled =
      typeof body === 'string'
        ? body.replaceAll('ETAG', JSON.stringify(etag).slice(1, -1)).replaceAll('OPAQUE', etag.slice(1, -1))
        : body;
    const reply = await fetch(`${baseUrl}${target}`, { method, headers: sent, body: filled });
    const text = await reply.text();
    next = /"next":"([^"]+)"/.exec(text)?.[1] ?? next;
    secret = /"secret":"([^"]+)"/.exec(text)?.[1] ?? secret;
    addedAt = /^\{"id":.*"addedAt":"([^"]+)Z"/.exec(text)?.[1] ?? addedAt;
    const [, ofResult] = [...text.matchAll(/"etag":"\\("[^"\\]+)\\"/g)].at(-1) ?? [];
    etag = reply.headers.get('etag') ?? (ofResult && `${ofResult}"`) ?? etag;
    const requestId = reply.headers.get('x-request-id') ?? '';
    const isNew = uuid.test(requestId) && requestId !== headers?.['X-Request-Id'];
    // So that what the next request stores is newer.
    if (method === 'POST' || method === 'PUT') await new Promise((resolve) => setTimeout(resolve, 2));
    return {
      status: reply.status,
      body: text
        .replace(/("(?:next|secret)":")[^"]+/, '$1…')
        .replace(/"etag":"\\"[\w-]{22}\\""/g, '"etag":"…"')
        .replace(/,"(lastUsedAt|addedBy|changedBy|by)":"[^"]+"/g, '')
        .replace(/(?<="(?:\w*[aA]t|from|until)":")[^"]+/g, writeTime),
      headers: Object.fromEntries([
        ...compared.map((name) => [name, reply.headers.get(name)] as const).filter(([, value]) => value),
        ...(isNew ? [] : [['x-request-id', requestId]]),
      ]),
    };
  };
}

function writeTime(time: string): string {
  return time.endsWith('Z') && Math.abs(Date.parse(time) - Date.now()) < 60_000 ? 'now' : time;
}
