import type { Load } from '../load/start-load.js';
import type { Tally } from '../load/tally.js';
import { type Trial, until } from '../load/trial.js';
import type { RunningService } from '../service/start-service.js';

/** So many creates are rejected before an outage counts as noticed: more than there are connections. */
const noticed = 32;
/** So many creates are acknowledged before an outage counts as over. */
const recovered = 32;

/** Something that keeps the service from storing plants for a while. */
export interface Outage {
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
  /** Whether creates only wait meanwhile; otherwise they are rejected. */
  readonly delays?: boolean;
  /** Whether some creates may succeed meanwhile. */
  readonly partial?: boolean;
}

/** Causes an outage under load, and compares what is stored once it is over. Meanwhile every create must be answered. */
export async function causeOutage(
  trial: Trial,
  service: RunningService,
  outage: Outage,
  tally: Tally,
): Promise<void> {
  const load = await beginOutage(trial, service, outage, tally);
  await outage.end();
  await trial.acknowledgements(recovered, load);
  await load.stop();
  tally.check(await trial.compareLatest(), 'after an outage');
  checkService(trial, service, tally);
}

/**
 * Causes an outage under load, and resolves once it was noticed, and no create sent after that was acknowledged.
 *
 * @returns the load, which goes on
 */
export async function beginOutage(
  { ledger, random, load: startLoad, acknowledgements: untilAcknowledged }: Trial,
  service: RunningService,
  { begin, delays = false, partial = false }: Omit<Outage, 'end'>,
  tally: Tally,
): Promise<Load> {
  const load = startLoad(service, { endsWithoutReply: false });
  const isWrong = () => ledger.failures.length > 0 || service.hasEnded();
  const untilRejected = async () => {
    const enough = ledger.unavailable + noticed;
    await until(() => isWrong() || ledger.unavailable >= enough, `${noticed} creates are rejected`);
  };
  await untilAcknowledged(random.below(200), load);
  await begin();
  if (delays) return load;
  await untilRejected();
  const before = ledger.acknowledgements;
  await untilRejected();
  const meanwhile = ledger.acknowledgements - before;
  if (meanwhile > 0 && !partial) tally.failures.push(`${meanwhile} writes were acknowledged in an outage`);
  return load;
}

/** Notes a service that has ended, or that has left a create without a reply. */
export function checkService({ ledger }: Trial, service: RunningService, tally: Tally): void {
  if (ledger.missingReplies > 0) tally.failures.push(`${ledger.missingReplies} creates had no reply`);
  if (service.hasEnded()) tally.failures.push(`The service ended:\n${service.readLog().slice(-2_000)}`);
}
