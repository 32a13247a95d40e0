import { resources } from '@plant-store/contract/resources';
import type { RequestHandler } from 'express';
import { expect, it, onTestFinished, vi } from 'vitest';
import { rateLimit } from '../../src/http/middleware/rate-limit.js';
import { serveMiddleware } from '../support/serve-middleware.js';

const authenticate: RequestHandler = (request, response, next) => {
  response.locals.subject = request.get('X-Subject') ?? 'web-shop';
  next();
};

it.each([-7_200_000, 7_200_000])(
  'limits a caller for a minute when the clock is set by %i ms',
  async (ms) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { middleware, countBatch } = rateLimit(5, 1);
    const countPlants: RequestHandler = (request, response, next) => {
      countBatch(response, Number(request.get('X-Plants') ?? 1), resources.plant);
      next();
    };
    const { client } = serveMiddleware(authenticate, middleware, countPlants);
    const send = (plants: number) => client.get('/').set('X-Plants', String(plants));
    const { headers } = await send(4).expect(200).expect('RateLimit', '"plants"; r=1; t=60');
    expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
    vi.advanceTimersByTime(10_000);
    vi.setSystemTime(Date.now() + ms);
    await send(2).expect(429).expect('Retry-After', '50').expect('RateLimit', '"plants"; r=0; t=50');
    await send(1).expect(429).expect('Retry-After', '50').expect('RateLimit', '"plants"; r=0; t=50');
    vi.advanceTimersByTime(49_999);
    await send(1).expect(429).expect('Retry-After', '1');
    vi.advanceTimersByTime(1);
    await send(1).expect(200).expect('RateLimit', '"plants"; r=4; t=60');
    await send(1).set('X-Subject', 'another shop').expect(200).expect('RateLimit', '"plants"; r=4; t=60');
  },
);
