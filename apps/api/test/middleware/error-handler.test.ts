import { messages } from '@plant-store/contract/messages';
import { RequestValidationError } from '@ts-rest/express';
import express, { type Request, type Response } from 'express';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { overloadErrors, ServiceError } from '../../src/errors/service-error.js';
import { errorHandler } from '../../src/http/middleware/error-handler.js';
import { serveMiddleware } from '../support/serve-middleware.js';

/** Middleware that throws an error. */
function throwing(error: unknown) {
  return serveMiddleware(() => {
    throw error;
  });
}

it('hides an unexpected error from the client, and logs it whole', async () => {
  const { client, logged } = throwing(new TypeError('plants is undefined'));
  const { body } = await client.get('/').expect(500);
  expect(JSON.stringify(body)).not.toContain('plants is undefined');
  expect(logged).toMatchObject([
    { requestId: 'request-1', err: { type: 'TypeError', message: 'plants is undefined' } },
  ]);
});

it.each([
  ['its cause', new Error('the disk is full'), 'the disk is full'],
  ['itself without one', undefined, 'no answer'],
])('logs of an error of the service %s', async (_, cause, message) => {
  const { client, logged } = throwing(new ServiceError('database_unavailable', 'no answer', { cause }));
  await client.get('/').expect(503);
  expect(logged).toMatchObject([{ err: { message }, msg: 'no answer' }]);
});

it('only counts what is rejected for overload', async () => {
  const { client, logged, rejected } = throwing(overloadErrors.waiting_bytes);
  await client.get('/').expect(503).expect('Retry-After', '1');
  expect(logged).toEqual([]);
  expect(rejected).toEqual(['waiting_bytes']);
});

it('closes the connection if the reply has begun', () => {
  const { log, logged } = serveMiddleware();
  const destroy = vi.fn<() => void>();
  const response = { locals: {}, headersSent: true, destroy };
  const handle = errorHandler(log, () => undefined);
  handle(new Error('too late'), { id: 'request-1' } as Request, response as unknown as Response, () => {});
  expect(destroy).toHaveBeenCalledOnce();
  expect(logged).toMatchObject([{ err: { message: 'too late' } }]);
});

it('rejects a path that Express cannot decode, and takes no other error for one', async () => {
  const router = express.Router().get('/plants/:id', (_request, response) => void response.end());
  const { body } = await serveMiddleware(router).client.get('/plants/%zz').expect(400);
  expect(body).toMatchObject({ message: messages.invalidPath });
  await throwing(new URIError('of the service')).client.get('/').expect(500);
  await throwing(Object.assign(new Error('of a library'), { status: 400 }))
    .client.get('/')
    .expect(500);
});

it('explains a request of which only a part is invalid', async () => {
  const { error = null } = z.object({ limit: z.number() }).safeParse({});
  await throwing(new RequestValidationError(null, null, error, null))
    .client.get('/')
    .expect(400);
});
