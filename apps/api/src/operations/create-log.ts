import { once } from 'node:events';
import { destination, type Logger, pino, stdTimeFunctions } from 'pino';
import type { Config } from '../config.js';

/** A log and the means to write out what it still holds. */
export interface Log {
  readonly log: Logger;
  /** Writes what is still waiting, in order, and resolves when it is written; nothing may be logged after it. */
  close(): Promise<void>;
}

/** How much waits at most before it is written, and for how long, in bytes and milliseconds. */
const bufferBytes = 8_192;
const flushMs = 100;

/** The log: one JSON line per event on standard output, written without making a request wait. */
export function createLog(level: Config['logLevel']): Log {
  const target = destination({ dest: 1, sync: false, minLength: bufferBytes, periodicFlush: flushMs });
  return {
    log: pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, target),
    async close() {
      const finished = once(target, 'finish');
      target.end();
      await finished;
    },
  };
}
