import type { Request, RequestHandler, Response } from 'express';
import { expect, it, onTestFinished, vi } from 'vitest';
import { overloadErrors } from '../../src/errors/service-error.js';
import { rejectDuringShutdown, rejectWhenFull } from '../../src/http/middleware/overload.js';
import { createRequestCounts, type RequestCounts, rateLimit } from '../../src/http/middleware/rate-limit.js';
import { reached, serveMiddleware } from '../support/serve-middleware.js';

const authenticate: RequestHandler = (_request, response, next) => {
  response.locals.subject = 'web-shop';
  next();
};

it('counts requests in the store that it is given, by caller', async () => {
  const keys: string[] = [];
  const store: RequestCounts = {
    async increment(key) {
      keys.push(key);
      return { totalHits: keys.length, resetTime: new Date(Date.now() + 60_000) };
    },
    decrement: () => undefined,
    resetKey: () => undefined,
  };
  const { client } = serveMiddleware(authenticate, (await rateLimit(1, store)).middleware);
  const { headers } = await client.get('/').expect(200, reached);
  expect(headers['ratelimit-policy']).toContain('"plants"');
  expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  await client.get('/').expect(429);
  expect(keys).toEqual(['subject web-shop', 'subject web-shop']);
});

it('counts requests itself without a store', async () => {
  const { client } = serveMiddleware(authenticate, (await rateLimit(1)).middleware);
  await client.get('/').expect(200);
  await client.get('/').expect(429);
});

it('takes back nothing from the next minute for a batch that was rejected in the one before', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const counts = createRequestCounts();
  await counts.increment('caller', 90);
  vi.advanceTimersByTime(60_000);
  expect(await counts.increment('caller', -90)).toMatchObject({ totalHits: 0 });
  expect(await counts.increment('caller')).toMatchObject({ totalHits: 1 });
});

it('rejects a create while the queue is full, and keeps nothing of its body', () => {
  const resume = vi.fn<() => void>();
  const next = vi.fn<() => void>();
  const handle = (isFull: boolean) =>
    rejectWhenFull({ isFull: () => isFull })(
      { resume } as unknown as Request,
      { locals: { subject: 'web-shop' } } as unknown as Response,
      next,
    );
  expect(() => handle(true)).toThrow(overloadErrors.waiting_plants);
  expect(resume).toHaveBeenCalledOnce();
  expect(next).not.toHaveBeenCalled();
  void handle(false);
  expect(next).toHaveBeenCalledOnce();
  expect(resume).toHaveBeenCalledOnce();
});

it('closes connections while the service drains, and rejects requests once it stops', async () => {
  const [draining, stopping] = [new AbortController(), new AbortController()];
  const { client } = serveMiddleware(
    rejectDuringShutdown({ draining: draining.signal, stopping: stopping.signal }),
  );
  const send = () => client.get('/').set('Connection', 'keep-alive');
  await send().expect(200).expect('Connection', 'keep-alive');
  draining.abort();
  await send().expect(200, reached).expect('Connection', 'close');
  stopping.abort();
  await send().expect(503).expect('Connection', 'close');
});
