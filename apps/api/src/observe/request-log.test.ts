import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createRequestLog, type RequestLine } from './request-log.js';

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

it('writes what pino would write, whatever a request brings', () => {
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
