import { type ChaosFault, type FaultName, faultNames, faults } from './faults.js';
import { seededRandom } from './seeded-random.js';

/** One call to be made, and what happens to it; depends on the seed alone. */
export interface Plan {
  readonly seed: number;
  readonly retries: number;
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
  /** A fixed token, or a source that returns a new one each time, the same one each time, or never one. */
  readonly token: 'fixed' | 'renewed' | 'the same' | 'never';
  /** When the caller's signal is aborted; 0 is before the call. */
  readonly abortAfterMs: number | undefined;
  /** The faults of the attempts in order, more than there can be attempts. */
  readonly script: readonly FaultName[];
}

const scriptLength = 8;

/** The timeout of a call and of its attempts where the result must not depend on how busy the machine is. */
const longMs = 60_000;

export function planRun(seed: number): Plan {
  const random = seededRandom(seed);
  const kind = random.integer(1, 100);
  const script = (draw: () => FaultName) => Array.from({ length: scriptLength }, draw);
  const common = {
    seed,
    retries: random.integer(0, 4),
    token: random.pick(['fixed', 'renewed', 'renewed', 'the same'] as const),
  };
  // A long timeout and always an abort: a timer that is left behind shows only while it is still running.
  if (kind <= 12) {
    return {
      ...common,
      timeoutMs: longMs,
      attemptTimeoutMs: random.pick([60, longMs]),
      abortAfterMs: random.integer(0, random.pick([0, 20, 300])),
      script: script(() => (random.chance(0.4) ? '503, again much later' : random.pick(faultNames))),
    };
  }
  // A long timeout, no abort, and only faults after which there is no long wait.
  if (kind <= 30) {
    return {
      ...common,
      timeoutMs: longMs,
      attemptTimeoutMs: longMs,
      abortAfterMs: undefined,
      script: script(() => (random.chance(0.15) ? 'success' : random.pick(promptFaults))),
    };
  }
  return {
    ...common,
    timeoutMs: random.pick([60, 150, 300, 600, 600, 1_000, 1_600]),
    attemptTimeoutMs: random.pick([40, 80, 150, 300]),
    token: random.chance(0.02) ? 'never' : common.token,
    abortAfterMs: random.chance(0.15) ? random.integer(0, random.pick([0, 20, 300])) : undefined,
    script: script(() => (random.chance(0.15) ? 'success' : random.pick(faultNames))),
  };
}

/** The faults after which the next attempt comes soon. */
const promptFaults = faultNames.filter((name) => {
  const { end, retryAfterMs = 0 }: ChaosFault = faults[name];
  return end !== 'silence' && retryAfterMs < 1_000;
}) as [FaultName, ...FaultName[]];
