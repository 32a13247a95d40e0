import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { destination, type Logger, pino, stdTimeFunctions } from 'pino';
import type { Config } from '../config.js';

/** A log and the means to write out what it still holds. */
export interface Log {
  readonly log: Logger;
  /** Writes what is still waiting, in order, and resolves when it is written; what is logged after it is dropped. */
  close(): Promise<void>;
}

/** How much waits at most before it is written, and for how long, in characters and milliseconds. */
const bufferLength = 65_536;
const flushMs = 100;

/** How much is kept while nobody reads the log; what is past it is dropped. In bytes. */
const backlogBytes = 2 ** 24;

/** How long the end waits for a log that cannot be written, in milliseconds. */
const closeTimeoutMs = 1_000;

/**
 * The log: one JSON line per event on standard output, written without making a request wait. The service outlives
 * it: when it cannot be written any more, the disk full or its reader gone, requests are answered all the same.
 */
export function createLog(level: Config['logLevel']): Log {
  const target = destination({ dest: 1, sync: false, maxLength: backlogBytes });
  target.on('error', () => undefined);
  const buffer = gatherLines((text) => void target.write(text));
  // The destination writes what it holds when the process crashes; it shall hold the last lines by then.
  process.prependOnceListener('exit', buffer.end);
  const log = pino({ level, base: null, timestamp: isoTimestamps() }, buffer);
  return {
    log,
    async close() {
      log.level = 'silent';
      buffer.end();
      process.off('exit', buffer.end);
      const finished = once(target, 'finish').catch(() => undefined);
      const deadline = new AbortController();
      target.end();
      await Promise.race([finished, sleep(closeTimeoutMs, undefined, deadline).catch(() => undefined)]);
      // Or the process would not end before it.
      deadline.abort();
      // Or the flush at exit would try for ever.
      target.destroy();
    },
  };
}

/** Gathers lines and hands them on together. The destination could do so too, but measures all it holds at each line. */
function gatherLines(write: (text: string) => void) {
  let lines: string[] = [];
  let length = 0;
  const flush = () => {
    if (length === 0) return;
    write(lines.join(''));
    lines = [];
    length = 0;
  };
  const timer = setInterval(flush, flushMs).unref();
  return {
    write(line: string) {
      lines.push(line);
      length += line.length;
      if (length >= bufferLength) flush();
    },
    /** Hands on what is left, for good. */
    end() {
      clearInterval(timer);
      flush();
    },
  };
}

/** Pino's `isoTime`, asked once a millisecond: under load many lines share one. */
function isoTimestamps(): () => string {
  let writtenFor = Number.NaN;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== writtenFor) {
      writtenFor = now;
      text = stdTimeFunctions.isoTime();
    }
    return text;
  };
}
