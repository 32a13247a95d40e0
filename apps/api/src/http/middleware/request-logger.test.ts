import type { Request, Response } from 'express';
import { expect, it, vi } from 'vitest';
import { parseTraceparent, requestLogger } from './request-logger.js';

it('measures the time from the begin to the end of a request, in milliseconds, and logs it to the microsecond', () => {
  const request = { id: 'request-1', method: 'POST', path: '/plants', headers: {} } as Request;
  let close = () => {};
  const response = {
    locals: {},
    writableFinished: true,
    statusCode: 200,
    on: (_event: string, listener: () => void) => (close = listener),
  } as unknown as Response;
  const info = vi.fn();
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

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

it.each([
  ['of version 00', `00-${traceId}-${spanId}-01`],
  ['with unknown flags', `00-${traceId}-${spanId}-ff`],
  ['of a later version', `01-${traceId}-${spanId}-00`],
  ['of a later version with more fields', `cc-${traceId}-${spanId}-01-what the future has`],
])('reads a header %s', (_, header) => {
  expect(parseTraceparent(header)).toEqual({ traceId, spanId });
});

it.each([
  ['is empty', ''],
  ['is of the forbidden version', `ff-${traceId}-${spanId}-01`],
  ['is of version 00 with more fields', `00-${traceId}-${spanId}-01-more`],
  ['is in upper case', `00-${traceId.toUpperCase()}-${spanId}-01`],
  ['has no trace', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['has no span', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['is too short', `00-${traceId.slice(1)}-${spanId}-01`],
  ['was sent twice', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
  ['has other text around it', ` 00-${traceId}-${spanId}-01`],
  ['has another separator', `00_${traceId}_${spanId}_01`],
])('ignores a header that %s', (_, header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});
