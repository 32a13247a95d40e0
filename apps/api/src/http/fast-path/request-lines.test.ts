import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { type RequestLine, requestLines } from './request-lines.js';

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }));
const absentOr = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const line = fc.record({
  requestId: text,
  method: text,
  path: text,
  status: absentOr(fc.integer()),
  error: absentOr(fc.integer()),
  tokenId: absentOr(fc.integer()),
  plantId: absentOr(text),
  durationMs: fc.double({ noNaN: true, noDefaultInfinity: true }),
});

/** A log, and what is written to it. */
function startLog() {
  const written: string[] = [];
  const log = pino(
    { base: { service: 'plants' }, timestamp: () => ',"time":"then"' },
    { write: (text) => written.push(text) },
  );
  return { log, written };
}

it('writes what pino would write, whatever a request brings', () => {
  fc.assert(
    fc.property(line, text, (fields, message) => {
      const { log, written } = startLog();
      log.info(fields, message);
      requestLines(log).info(fields, message);
      expect(written).toHaveLength(2);
      expect(written[1]).toBe(written[0]);
    }),
  );
});

it('is silent from the moment that the log is', () => {
  const { log, written } = startLog();
  const lines = requestLines(log);
  const fields = fc.sample(line, 1)[0] as RequestLine;
  lines.info(fields, 'request');
  log.level = 'silent';
  lines.info(fields, 'request');
  expect(written).toHaveLength(1);
});
