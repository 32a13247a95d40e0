import { ServiceError } from '@plant-store/records';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { abandonMs, answerTimeoutMs, createReadiness, reuseMs } from './readiness.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ready = { ready: true, warnings: [] };
const databaseUnavailable = { ready: false, reason: 'database_unavailable' };
const shuttingDown = { ready: false, reason: 'shutting_down' };

/** Readiness over a database whose checks the test resolves or rejects. */
function createHeldReadiness() {
  const checks: { pass(): void; fail(error: Error): void }[] = [];
  const lines: { level: number; msg: string; err?: { message: string } }[] = [];
  const stopping = new AbortController();
  const warnings: string[] = [];
  const readiness = createReadiness({
    check: () => new Promise((resolve, reject) => void checks.push({ pass: resolve, fail: reject })),
    warnings: () => [...warnings],
    stopping: stopping.signal,
    log: pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) }),
  });
  return { readiness, checks, lines, stopping, warnings };
}

it('shares one check between concurrent probes, and reuses its result for a moment', async () => {
  const { readiness, checks, warnings } = createHeldReadiness();
  warnings.push('The disk is slow.');
  const together = Array.from({ length: 1_000 }, () => readiness());
  expect(checks).toHaveLength(1);
  checks[0]?.pass();
  expect(new Set(await Promise.all(together))).toEqual(new Set([{ ready: true, warnings }]));

  await vi.advanceTimersByTimeAsync(reuseMs - 1);
  expect(await readiness()).toEqual({ ready: true, warnings });
  expect(checks).toHaveLength(1);

  await vi.advanceTimersByTimeAsync(1);
  const next = readiness();
  expect(checks).toHaveLength(2);
  checks[1]?.fail(new Error('gone'));
  expect(await next).toEqual(databaseUnavailable);
});

it('reports a database that hangs as unavailable, and starts no second check in the meantime', async () => {
  const { readiness, checks, lines } = createHeldReadiness();
  const onResult = vi.fn();
  void readiness().then(onResult);
  await vi.advanceTimersByTimeAsync(answerTimeoutMs - 1);
  expect(onResult).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onResult).toHaveBeenCalledExactlyOnceWith(databaseUnavailable);

  await vi.advanceTimersByTimeAsync(reuseMs);
  const next = readiness();
  await vi.advanceTimersByTimeAsync(answerTimeoutMs);
  expect(await next).toEqual(databaseUnavailable);
  expect(checks).toHaveLength(1);
  expect(lines).toMatchObject([{ msg: 'not ready', err: { message: expect.stringContaining('2000 ms') } }]);
});

it('is ready again as soon as a check that hung succeeds', async () => {
  const { readiness, checks } = createHeldReadiness();
  const first = readiness();
  await vi.advanceTimersByTimeAsync(answerTimeoutMs);
  expect(await first).toEqual(databaseUnavailable);

  await vi.advanceTimersByTimeAsync(reuseMs);
  const second = readiness();
  checks[0]?.pass();
  expect(await second).toEqual(ready);
});

it('abandons a check that never ends, and starts another', async () => {
  const { readiness, checks } = createHeldReadiness();
  void readiness();
  await vi.advanceTimersByTimeAsync(abandonMs - 1);
  void readiness();
  expect(checks).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1 + reuseMs);
  const next = readiness();
  expect(checks).toHaveLength(2);
  checks[1]?.pass();
  expect(await next).toEqual(ready);
});

it('logs each change once, with the cause that the reply leaves out', async () => {
  const { readiness, checks, lines } = createHeldReadiness();
  const cause = new Error('SQLITE_BUSY: database is locked');
  const unavailable = new ServiceError('database_unavailable', 'The database is not responding.', { cause });
  const overloaded = new ServiceError('overloaded', 'No.');
  const errors = [undefined, unavailable, new Error('another'), overloaded, undefined, undefined];
  for (const error of errors) {
    const result = readiness();
    if (error === undefined) checks.at(-1)?.pass();
    else checks.at(-1)?.fail(error);
    const reason = error === overloaded ? 'overloaded' : 'database_unavailable';
    expect(await result).toEqual(error === undefined ? ready : { ready: false, reason });
    await vi.advanceTimersByTimeAsync(reuseMs);
  }
  const { reason } = databaseUnavailable;
  expect(lines).toEqual([
    { level: 40, msg: 'not ready', reason, err: expect.objectContaining({ message: cause.message }) },
    { level: 40, msg: 'not ready', reason: 'overloaded', err: expect.objectContaining({ message: 'No.' }) },
    { level: 30, msg: 'ready' },
  ]);
});

it('is not ready once the service is stopping, regardless of the database', async () => {
  const { readiness, checks, lines, stopping } = createHeldReadiness();
  const waiting = readiness();
  stopping.abort();
  expect(await waiting).toEqual(shuttingDown);
  checks[0]?.pass();
  await vi.advanceTimersByTimeAsync(reuseMs);
  expect(await readiness()).toEqual(shuttingDown);
  expect(checks).toHaveLength(1);
  expect(lines).toEqual([]);
});
