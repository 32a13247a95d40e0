import supertest from 'supertest';
import type { TestService } from './start-test-service.js';

type Target = Pick<TestService, 'baseUrl' | 'token'>;

/** Starts a request with a valid token, without a body; more headers can be set on it. */
export function plantRequest({ baseUrl, token }: Target): supertest.Test {
  return supertest(baseUrl)
    .post('/plants')
    .set('Authorization', `Bearer ${token}`)
    .set('Content-Type', 'application/json');
}

/** Posts a body with a valid token: a string as it is, an object as JSON. */
export function postPlant(target: Target, body: string | object): supertest.Test {
  return plantRequest(target).send(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Sends a request, such as `GET /plants`, with a valid token; an object as JSON. */
export function sendJson(
  { baseUrl, token }: Target,
  line: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const [method = '', path] = line.split(' ');
  const all = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers };
  return fetch(`${baseUrl}${path}`, { method, headers: all, body: body ? JSON.stringify(body) : null });
}

/** Composes the bytes of the same request for `sendRaw`. `headers` are added or replaced; `undefined` removes one. */
export function composePlantRequest(
  { token }: Target,
  body: string | Buffer,
  headers: Readonly<Record<string, string | undefined>> = {},
): Buffer {
  const lines = Object.entries({
    Host: 'plants.example',
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  }).flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}\r\n`));
  return Buffer.concat([Buffer.from(`POST /plants HTTP/1.1\r\n${lines.join('')}\r\n`), Buffer.from(body)]);
}
