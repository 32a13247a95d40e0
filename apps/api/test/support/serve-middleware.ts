import express, { type RequestHandler } from 'express';
import { pino } from 'pino';
import supertest from 'supertest';
import { errorHandler } from '../../src/http/middleware/error-handler.js';

/**
 * Serves requests by middleware alone, with a handler behind it that replies `reached`.
 *
 * @returns what sends requests, the log, and the reasons of rejections that are only counted
 */
export function serveMiddleware(...handlers: RequestHandler[]) {
  const logged: Record<string, unknown>[] = [];
  const rejected: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const app = express();
  app.use((request, _response, next) => {
    request.id = 'request-1';
    next();
  });
  for (const handler of handlers) app.use(handler);
  app.use((_request, response) => void response.json({ reached: true }));
  app.use(errorHandler(log, (reason) => void rejected.push(reason)));
  return { client: supertest(app), log, logged, rejected };
}
