import type { Request, Response } from 'express';
import { expect, it, vi } from 'vitest';
import { overloadErrors } from '../../src/errors/service-error.js';
import { observeRequests, requestLogger } from '../../src/http/middleware/request-logger.js';

const request = { id: 'request-1', method: 'POST', path: '/plants', headers: {} } as Request;
const response = (locals: object) =>
  ({ locals, writableFinished: true, statusCode: 200 }) as unknown as Response;

it('measures the time from the begin to the end of a request, in milliseconds', () => {
  vi.useFakeTimers();
  const onBegin = vi.fn<() => void>();
  const onEnd = vi.fn<(...args: unknown[]) => void>();
  let close = () => {};
  const replying = { on: (_event: string, listener: () => void) => (close = listener) };
  const next = vi.fn<() => void>();
  vi.advanceTimersByTime(1_000);
  void observeRequests([{ onBegin, onEnd }, { onEnd }])(request, replying as unknown as Response, next);
  expect([onBegin, next, onEnd].map((called) => called.mock.calls.length)).toEqual([1, 1, 0]);
  vi.advanceTimersByTime(250);
  close();
  expect(onEnd.mock.calls).toEqual([
    [request, replying, 250],
    [request, replying, 250],
  ]);
  vi.useRealTimers();
});

it('logs the duration to the microsecond, and no request that is rejected for overload', () => {
  const info = vi.fn<(fields: object, message: string) => void>();
  const { onEnd } = requestLogger({ info }, 1);
  onEnd(request, response({ error: overloadErrors.waiting_plants }), 1);
  expect(info).not.toHaveBeenCalled();
  onEnd(request, response({}), 12.345678);
  expect(info).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ durationMs: 12.346 }), 'request');
});
