import { type Logger, pino, stdTimeFunctions } from 'pino';
import type { Config } from '../config.js';
import { stopTimeouts } from '../runtime/stop-timeouts.js';
import { createOutputWriter, openOutput } from './output-writer.js';
import { createRequestLog, type RequestLog } from './request-log.js';

/** A logger over a buffer, and a way to flush that. */
export interface Log {
  readonly log: Logger;
  /** Writes the lines of requests as `log` would, at the same level and to the same place, in less time. */
  readonly requestLog: RequestLog;
  /** Writes a text for a person between the lines of the log, whatever the log level. */
  print(text: string): void;
  /** Writes what is buffered, in order, and resolves when it is written. Whatever is logged later is dropped. */
  close(): Promise<void>;
}

/** How a logger differs from the default one. */
export interface LoggerOptions {
  /** Changes each line before it is written. */
  readonly format?: ((line: string) => string) | undefined;
  /** Whether other processes log to the same output: lines of up to 4,096 bytes then stay whole. */
  readonly isShared?: boolean;
}

/** What is written to a pipe as one, whatever other processes write to it (POSIX, `PIPE_BUF`; 4,096 on Linux). */
const atomicBytes = 4_096;

/**
 * Creates the logger: one JSON line per event on standard output, written without making a request wait. When the log
 * cannot be written, because the disk is full or its reader has gone away or hangs, requests are still answered, and
 * the process ends in time.
 */
export function createLogger(
  level: Config['logLevel'],
  { format, isShared = false }: LoggerOptions = {},
): Log {
  const output = createOutputWriter(openOutput(), isShared ? atomicBytes : undefined);
  const writeRest = () => output.endSync(stopTimeouts.logMs);
  process.once('exit', writeRest);
  const timestamp = isoTimestamps();
  const destination = format === undefined ? output : { write: (line: string) => output.write(format(line)) };
  const log = pino({ level, base: null, timestamp }, destination);
  return {
    log,
    requestLog: createRequestLog({ log, timestamp, destination }),
    print: (text) => output.write(text),
    async close() {
      log.level = 'silent';
      process.off('exit', writeRest);
      await output.end(stopTimeouts.logMs);
    },
  };
}

/** Pino's `isoTime`, called once a millisecond: under load many lines share one. */
function isoTimestamps(): () => string {
  let formattedAt = Number.NaN;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== formattedAt) {
      formattedAt = now;
      text = stdTimeFunctions.isoTime();
    }
    return text;
  };
}
