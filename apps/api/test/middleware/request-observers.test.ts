import type { Request, Response } from 'express';
import { expect, it, vi } from 'vitest';
import { requestLogger } from '../../src/http/middleware/request-logger.js';

it('measures the time from the begin to the end of a request, in milliseconds, and logs it to the microsecond', () => {
  const request = { id: 'request-1', method: 'POST', path: '/plants', headers: {} } as Request;
  let close = () => {};
  const response = {
    locals: {},
    writableFinished: true,
    statusCode: 200,
    on: (_event: string, listener: () => void) => (close = listener),
  } as unknown as Response;
  const info = vi.fn<(fields: object, message: string) => void>();
  const [next, onBegin] = [vi.fn<() => void>(), vi.fn<() => void>()];
  const onEnd = vi.fn<(...args: unknown[]) => void>();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  void requestLogger({ info }, 1, { onBegin, onEnd })(request, response, next);
  expect([next, onBegin, onEnd].map((called) => called.mock.calls.length)).toEqual([1, 1, 0]);
  clock.mockReturnValue(1_012.345678);
  close();
  clock.mockRestore();
  expect(onEnd.mock.calls).toEqual([[request, response, expect.closeTo(12.345678, 6)]]);
  expect(info).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ durationMs: 12.346 }), 'request');
});
