import { destination, type Logger, pino, stdTimeFunctions } from 'pino';
import type { Config } from '../config.js';

/** A log and the means to write out what it still holds. */
export interface Log {
  readonly log: Logger;
  /** Writes what is still waiting, before the process ends. */
  flush(): void;
}

/** The log: one JSON line per event on standard output, written without making a request wait. */
export function createLog(level: Config['logLevel']): Log {
  const target = destination({ dest: 1, sync: false });
  return {
    log: pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, target),
    flush: () => target.flushSync(),
  };
}
