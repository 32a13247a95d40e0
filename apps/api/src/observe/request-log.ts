import { type ResourceName, resources } from '@plant-store/contract/resources';
import { Counter, type Registry } from '@prometheus-io/client';
import type { Logger } from 'pino';
import { type OverloadReason, overloadErrors } from '../errors/service-error.js';
import { createCounter } from './metrics.js';

/** The field for the id of a record. It is text, because log readers round large numbers. */
export type RecordIdName = `${ResourceName}Id`;

const recordIdNames = Object.keys(resources).map((name) => `${name as ResourceName}Id` as const);

/** The fields of a request's log line; `undefined` fields are left out. */
export interface RequestLine extends Readonly<Partial<Record<RecordIdName, string | undefined>>> {
  readonly requestId: string;
  /** The caller's span. */
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly status: number | undefined;
  readonly error: number | undefined;
  /** The id of the access token, or the subject of the JSON Web Token. */
  readonly tokenId: number | undefined;
  readonly subject: string | undefined;
  /** How many records of a batch had each outcome. */
  readonly outcomes: Readonly<Record<string, number>> | undefined;
  readonly durationMs: number;
}

/** A log for the lines of requests only; every `Logger` of pino is one. */
export interface RequestLog {
  info(line: RequestLine, message: string): void;
}

/** What a request log shares with the logger that writes to the same destination. */
interface RequestLogOptions {
  /** The logger whose level decides whether anything is written; it must have no bindings. */
  readonly log: Logger;
  /** The time as pino expects it: `,"time":` and a value. */
  readonly timestamp: () => string;
  readonly destination: { write(line: string): void };
}

/**
 * Creates a log for requests that writes what pino would, in half the time: pino inspects each field of an object that it
 * is given, but all fields of these lines are known.
 */
export function createRequestLog({ log, timestamp, destination }: RequestLogOptions): RequestLog {
  const level = log.levels.values['info'];
  return {
    info(line, message) {
      if (!log.isLevelEnabled('info')) return;
      let text = `{"level":${level}${timestamp()},"requestId":${quote(line.requestId)}`;
      if (line.traceId !== undefined) text += `,"traceId":${quote(line.traceId)}`;
      if (line.spanId !== undefined) text += `,"spanId":${quote(line.spanId)}`;
      text += `,"method":${quote(line.method)},"path":${quote(line.path)}`;
      if (line.status !== undefined) text += `,"status":${line.status}`;
      if (line.error !== undefined) text += `,"error":${line.error}`;
      if (line.tokenId !== undefined) text += `,"tokenId":${line.tokenId}`;
      if (line.subject !== undefined) text += `,"subject":${quote(line.subject)}`;
      for (const name of recordIdNames) {
        const id = line[name];
        if (id !== undefined) text += `,"${name}":${quote(id)}`;
      }
      if (line.outcomes !== undefined) text += `,"outcomes":${JSON.stringify(line.outcomes)}`;
      destination.write(`${text},"durationMs":${line.durationMs},"msg":${quote(message)}}\n`);
    },
  };
}

/** A text as JSON. Most need no escaping: printable ASCII without a quote or a backslash. */
function quote(text: string): string {
  return /^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** A span of a distributed trace, in lower-case hexadecimal. */
interface Span {
  readonly traceId: string;
  readonly spanId: string;
}

const pattern = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/**
 * Parses the header `traceparent` (W3C Trace Context, section 3.2).
 *
 * @returns the caller's span, or `undefined` where the header is not valid, and so must be ignored
 */
export function parseTraceparent(header: unknown): Span | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId, spanId, rest] = pattern.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  // Only later versions may append fields.
  return version === '00' && rest !== undefined ? undefined : { traceId, spanId };
}

/** How often rejections are logged, in milliseconds: a line for each one would cost more than the rejection. */
const intervalMs = 1_000;

/**
 * Creates a function to call with each request that is rejected for overload, which counts them by the limit that was reached.
 *
 * @param stopping aborted once the service begins to stop: what is counted is then logged immediately
 */
export function createRejectionLog(log: Logger, stopping: AbortSignal, metrics?: Registry) {
  const reasons = Object.keys(overloadErrors);
  const countMetric =
    metrics &&
    createCounter(metrics, {
      name: 'plant_store_overload_rejections_total',
      help: `Requests rejected with overloaded, by reason: ${reasons.join(', ')}`,
      labelName: 'reason',
      initial: reasons,
    });
  const count = countInIntervals(stopping, (rejected) => log.warn({ rejected }, 'overloaded'));
  return function countRejection(reason: OverloadReason): void {
    countMetric?.(reason);
    count(reason);
  };
}

/**
 * Creates a function to call with each connection that is closed on arrival, because the limit on open files allows no more. Counts
 * and logs like the rejections.
 */
export function createConnectionLog(
  log: Logger,
  allowed: number,
  stopping: AbortSignal,
  metrics: Registry | undefined,
) {
  const rejections =
    metrics &&
    new Counter({
      name: 'plant_store_http_connections_rejected_total',
      help: 'Connections closed on arrival, because the limit on open files allows no more',
      registers: [metrics],
    });
  const message = 'connections are closed on arrival: the limit on open files allows no more connections';
  const count = countInIntervals(stopping, ({ rejected }) => log.warn({ rejected, allowed }, message));
  return function countConnection(): void {
    rejections?.inc();
    count('rejected');
  };
}

/** Counts events by kind and reports the counts once in each interval with an event, or immediately once the service stops. */
function countInIntervals<Kind extends string>(
  stopping: AbortSignal,
  report: (counts: Partial<Record<Kind, number>>) => void,
): (kind: Kind) => void {
  let counts: Partial<Record<Kind, number>> = {};
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    report(counts);
    counts = {};
  }

  stopping.addEventListener('abort', flush);
  return function count(kind) {
    counts[kind] = (counts[kind] ?? 0) + 1;
    timer ??= setTimeout(flush, intervalMs).unref();
    if (stopping.aborted) flush();
  };
}
