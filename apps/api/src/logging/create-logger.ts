import { type Logger, pino, stdTimeFunctions } from 'pino';
import type { Config } from '../config.js';
import { createOutputWriter, openOutput } from './output-writer.js';

/** A log and the means to write out what it still holds. */
export interface Log {
  readonly log: Logger;
  /** Writes a text for a person among the lines of the log, whatever its level. */
  print(text: string): void;
  /** Writes what is still waiting, in order, and resolves when it is written; what is logged after it is dropped. */
  close(): Promise<void>;
}

/** How much waits at most before it is written, and for how long, in characters and milliseconds. */
const bufferLength = 65_536;
const flushMs = 100;

/** How much is kept while nobody reads the log; what is past it is dropped. In bytes. */
const backlogBytes = 2 ** 24;

/** How long the end waits for a log that cannot be written, in milliseconds. */
const closeTimeoutMs = 500;

/**
 * The log: one JSON line per event on standard output, written without making a request wait. The service outlives
 * it: when it cannot be written any more, the disk full or its reader gone or asleep, requests are answered all the
 * same, and the process ends in time.
 */
export function createLogger(level: Config['logLevel']): Log {
  const output = createOutputWriter(openOutput(), backlogBytes);
  const buffer = gatherLines((text) => output.write(text));
  const writeAtCrash = () => {
    buffer.end();
    output.endSync(closeTimeoutMs);
  };
  process.once('exit', writeAtCrash);
  const log = pino({ level, base: null, timestamp: isoTimestamps() }, buffer);
  return {
    log,
    print: (text) => buffer.write(text),
    async close() {
      log.level = 'silent';
      buffer.end();
      process.off('exit', writeAtCrash);
      await output.end(closeTimeoutMs);
    },
  };
}

/** Gathers lines and hands them on together. */
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
