import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createRequestLog, parseTraceparent, type RequestLine } from './request-log.js';

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }));
const absentOr = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const line = fc.record({
  requestId: text,
  traceId: absentOr(text),
  spanId: absentOr(text),
  method: text,
  path: text,
  status: absentOr(fc.integer()),
  error: absentOr(fc.integer()),
  tokenId: absentOr(fc.integer()),
  subject: absentOr(text),
  plantId: absentOr(text),
  outcomes: fc.option(fc.dictionary(fc.string(), fc.nat()), { nil: undefined }),
  durationMs: fc.double({ noNaN: true, noDefaultInfinity: true }),
});

/** A logger and a request log with one destination, and what is written to it. */
function startLogs() {
  const written: string[] = [];
  const destination = { write: (text: string) => void written.push(text) };
  const timestamp = () => ',"time":"then"';
  const log = pino({ base: null, timestamp }, destination);
  return { log, requestLog: createRequestLog({ log, timestamp, destination }), written };
}

it('writes the same as pino for any request', () => {
  fc.assert(
    fc.property(line, text, (fields, message) => {
      const { log, requestLog, written } = startLogs();
      log.info(fields, message);
      requestLog.info(fields, message);
      expect(written).toHaveLength(2);
      expect(written[1]).toBe(written[0]);
    }),
  );
});

it.each(['silent', 'warn'])('writes nothing once the level of the logger is %s', (level) => {
  const { log, requestLog, written } = startLogs();
  const fields = fc.sample(line, 1)[0] as RequestLine;
  requestLog.info(fields, 'request');
  log.level = level;
  requestLog.info(fields, 'request');
  expect(written).toHaveLength(1);
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
