import type { Request, Response } from 'express';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { overloadErrors } from '../../src/errors/service-error.js';
import { requestLogger } from '../../src/http/middleware/request-logger.js';

const request = { id: 'request-1', method: 'POST', path: '/plants', headers: {} } as Request;
const info = vi.fn<(fields: object, message: string) => void>();

beforeEach(() => {
  vi.useFakeTimers();
  info.mockClear();
});
afterEach(() => void vi.useRealTimers());

/** Begins a request, and returns it with what ends it. */
function begin(locals: object, measures?: Parameters<typeof requestLogger>[2]) {
  let close = () => {};
  const response = {
    locals,
    writableFinished: true,
    statusCode: 200,
    on: (_event: string, listener: () => void) => (close = listener),
  } as unknown as Response;
  const next = vi.fn<() => void>();
  void requestLogger({ info }, 1, measures)(request, response, next);
  expect(next).toHaveBeenCalledOnce();
  return { response, close: () => close() };
}

it('measures the time from the begin to the end of a request, in milliseconds, and logs it to the microsecond', () => {
  const [onBegin, onEnd] = [vi.fn<() => void>(), vi.fn<(...args: unknown[]) => void>()];
  vi.advanceTimersByTime(1_000);
  const { response, close } = begin({}, { onBegin, onEnd });
  expect([onBegin, onEnd].map((called) => called.mock.calls.length)).toEqual([1, 0]);
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 12.345678);
  close();
  expect(onEnd.mock.calls).toEqual([[request, response, expect.closeTo(12.345678, 6)]]);
  expect(info).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ durationMs: 12.346 }), 'request');
  vi.restoreAllMocks();
});

it('logs no request that is rejected for overload', () => {
  begin({ error: overloadErrors.waiting_plants }).close();
  expect(info).not.toHaveBeenCalled();
});
