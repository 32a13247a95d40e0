import express, { type RequestHandler } from 'express';
import supertest from 'supertest';
import { expect, it } from 'vitest';
import { compose } from './compose.js';

/** Runs middleware for a request; the last one replies 204. */
function run(...handlers: RequestHandler[]) {
  const app = express();
  app.use(compose(...handlers, (_request, response) => void response.status(204).end()));
  app.use(((error, _request, response, _next) => {
    response.status(418).send(String(error));
  }) satisfies express.ErrorRequestHandler);
  return supertest(app).get('/');
}

it('calls each after the one before it, and takes null for no error', async () => {
  const seen: string[] = [];
  const { status } = await run(
    (_request, _response, next) => {
      seen.push('first');
      next(null);
    },
    (_request, _response, next) => {
      seen.push('second');
      next();
    },
  );
  expect({ status, seen }).toEqual({ status: 204, seen: ['first', 'second'] });
});

it.each<[string, RequestHandler]>([
  ['passed on', (_request, _response, next) => next('an error')],
  [
    'thrown',
    () => {
      throw 'an error';
    },
  ],
])('ends with an error that is %s', async (_how, handler) => {
  const { status, text } = await run((_request, _response, next) => next(), handler);
  expect({ status, text }).toEqual({ status: 418, text: 'an error' });
});
