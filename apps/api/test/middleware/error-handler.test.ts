import { ServiceError } from '@plant-store/records';
import type { Request, Response } from 'express';
import { expect, it, vi } from 'vitest';
import { errorHandler } from '../../src/http/middleware/error-handler.js';
import { serveMiddleware } from '../support/serve-middleware.js';

/** Middleware that throws an error. */
function throwing(error: unknown) {
  return serveMiddleware(() => {
    throw error;
  });
}

it.each([
  ['its cause', new Error('the disk is full'), 'the disk is full'],
  ['itself without one', undefined, 'no answer'],
])('logs of an error of the service %s', async (_, cause, message) => {
  const { client, logged } = throwing(new ServiceError('database_unavailable', 'no answer', { cause }));
  await client.get('/').expect(503);
  expect(logged).toMatchObject([{ err: { message }, msg: 'no answer' }]);
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

it('takes no other error than that of Express for a path that it cannot decode', async () => {
  for (const error of [new URIError('ours'), Object.assign(new Error('of a library'), { status: 400 })])
    await throwing(error).client.get('/').expect(500);
});
