import { drawsOf } from './draws.js';
import { type Fault, type FaultName, faultNames, faults } from './faults.js';

/** One call to be made, and all that it is to meet; decided by the seed alone. */
export interface Plan {
  readonly seed: number;
  readonly retries: number;
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
  /** One token for ever, a new one each time, the same each time, or none that ever comes. */
  readonly token: 'fixed' | 'renewed' | 'the same' | 'never';
  /** When the caller's signal ends; 0 is before the call. */
  readonly abortAfterMs: number | undefined;
  /** What the attempts meet, one after the other: more than there may be. */
  readonly script: readonly FaultName[];
}

const scriptLength = 8;

/** How long a call and its attempts may take where nothing is to depend on how busy the machine is. */
const longMs = 60_000;

export function planRun(seed: number): Plan {
  const draws = drawsOf(seed);
  const kind = draws.integer(1, 100);
  const script = (draw: () => FaultName) => Array.from({ length: scriptLength }, draw);
  const common = {
    seed,
    retries: draws.integer(0, 4),
    token: draws.oneOf(['fixed', 'renewed', 'renewed', 'the same'] as const),
  };
  // A call with much time that is always aborted: that it leaves no timer shows only while the timer would still run.
  if (kind <= 12) {
    return {
      ...common,
      timeoutMs: longMs,
      attemptTimeoutMs: draws.oneOf([60, longMs]),
      abortAfterMs: draws.integer(0, draws.oneOf([0, 20, 300])),
      script: script(() => (draws.chance(0.4) ? '503, again much later' : draws.oneOf(faultNames))),
    };
  }
  // A call with much time that nobody aborts, and that meets nothing for which it would have to wait long.
  if (kind <= 30) {
    return {
      ...common,
      timeoutMs: longMs,
      attemptTimeoutMs: longMs,
      abortAfterMs: undefined,
      script: script(() => (draws.chance(0.15) ? 'success' : draws.oneOf(promptFaults))),
    };
  }
  return {
    ...common,
    timeoutMs: draws.oneOf([60, 150, 300, 600, 600, 1_000, 1_600]),
    attemptTimeoutMs: draws.oneOf([40, 80, 150, 300]),
    token: draws.chance(0.02) ? 'never' : common.token,
    abortAfterMs: draws.chance(0.15) ? draws.integer(0, draws.oneOf([0, 20, 300])) : undefined,
    script: script(() => (draws.chance(0.15) ? 'success' : draws.oneOf(faultNames))),
  };
}

/** The faults after which the next attempt comes soon. */
const promptFaults = faultNames.filter((name) => {
  const { end, retryAfterMs = 0 }: Fault = faults[name];
  return end !== 'silence' && retryAfterMs < 1_000;
}) as [FaultName, ...FaultName[]];
