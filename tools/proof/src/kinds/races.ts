import { join } from 'node:path';
import { Caller, operationByRequest } from '../load/caller.js';
import { findPossibleStates, type Request } from '../load/history.js';
import { hasOperation } from '../load/operations.js';
import { createRandom } from '../load/random.js';
import { createConflict, createRecordSource, type NewRecord, type ShownRecord } from '../load/records.js';
import { Tally } from '../load/tally.js';
import { type Trial, withTrial } from '../load/trial.js';
import type { Proof, ProofContext, Trials } from '../proof.js';
import { type Engine, withDatabases } from '../system/databases.js';
import type { Service } from '../system/service.js';

/** How many sequences run concurrently, each over separate connections, so that they share commits. */
const concurrentSequences = 16;

/** Concurrently creates, updates, deletes, and reads one record, and reuses its ID. Some order of the requests must explain the replies. */
export const races: Proof = [
  raceOn('races-sqlite', 'SQLite', 'sqlite'),
  raceOn('races-workers', 'SQLite with workers', 'sqlite', { WORKERS: '2' }),
  raceOn('races-postgresql', 'PostgreSQL', 'postgresql'),
  raceOn('races-instances', 'PostgreSQL with two instances', 'postgresql', {}, 2),
];

function raceOn(
  name: string,
  title: string,
  engine: Engine,
  kindSettings: Readonly<Record<string, string>> = {},
  instances = 1,
): Trials {
  const promise = `Concurrent requests for one ID are serializable, on ${title}`;
  async function prove(count: number, { seed, settings, log }: ProofContext) {
    const tally = new Tally();
    let sent = 0;
    await withDatabases(engine, async ({ folder, createDatabase }) => {
      const options = {
        database: await createDatabase(),
        random: createRandom(seed),
        logFile: join(folder, 'service.log'),
        settings: { ...kindSettings, ...settings },
      };
      await withTrial(options, async (trial) => {
        const service = await trial.runningService();
        const other = instances === 1 ? service : await trial.launch(`${options.logFile}.2`).started;
        const { token, ledger, random } = trial;
        const createRecord = createRecordSource(random.fork());
        async function race(): Promise<void> {
          const connect = ({ baseUrl }: Service) => new Caller({ baseUrl, token, ledger, connections: 1 });
          const callers = [service, other, service].map(connect);
          while (sent < count && ledger.failures.length === 0) {
            if (++sent % 1_000 === 0) log(`${name}: ${sent} of ${count} sequences`);
            await runOne(trial, callers, createRecord(), tally);
          }
          for (const caller of callers) caller.close();
        }
        await Promise.all(Array.from({ length: concurrentSequences }, race));
        // The check restarts and ends only the trial's own service.
        if (other !== service) await other.killAll();
        await tally.checkAtEnd(trial);
      });
    });
    tally.figures['sequences'] = sent;
    return tally.toResult();
  }
  return { name, promise, short: 200, full: 10_000, prove };
}

/**
 * Sends random requests about one ID from several connections concurrently. Then, one after the other, reuses the ID if the record was
 * deleted, updates the record, and retries all creates. One of these is a replay, which must not revert the update. Skips operations that
 * the resource does not have.
 */
async function runOne(
  { ledger, random }: Trial,
  callers: readonly Caller[],
  record: NewRecord,
  tally: Tally,
) {
  const { resource } = record;
  // Only three, so that requests often have the same content.
  const contents = [record, createConflict(record, random), createConflict(record, random)];
  const shownRecords: ShownRecord[] = [];

  async function send(request: Request, caller = random.pick(callers)): Promise<string | undefined> {
    if (!hasOperation(resource, operationByRequest[request.action])) return undefined;
    if (request.action === 'create' && hasOperation(resource, 'createMany') && random.next() < 0.2)
      return (await caller.createAll(resource, [request.record, random.pick(contents)]))[0]?.kind;
    const outcome = await caller.send(request);
    if (outcome.kind === 'shown') shownRecords.push(...(outcome.records ?? []));
    return outcome.kind;
  }

  function choose(): Request {
    const roll = random.next();
    const content = random.pick(contents);
    if (roll < 0.25) return { action: 'create', record: random.next() < 0.8 ? record : content };
    if (roll < 0.4) return { action: 'delete', record };
    if (roll < 0.55) return { action: 'reuseId', record: content };
    if (roll < 0.7) return { action: 'read', record };
    // The condition is the record as last shown, as shown earlier, or none.
    const match =
      random.next() < 0.5 ? shownRecords.at(-1) : shownRecords[random.below(shownRecords.length + 1)];
    return { action: 'update', record: content, match };
  }
  if (random.next() < 0.6) await send({ action: 'create', record });
  if (random.next() < 0.4) await send({ action: 'read', record });
  const sendRandomRequests = async (caller: Caller) => {
    for (let remaining = 1 + random.below(4); remaining > 0; remaining--) await send(choose(), caller);
  };
  await Promise.all(callers.map(sendRandomRequests));

  const { possibleStates, operations } = ledger.entryOf(record);
  const inSendOrder = operations.map((operation, index) => ({
    ...operation,
    after: undefined,
    start: index,
    end: index,
  }));
  tally.add('concurrent requests', operations.length);
  if (findPossibleStates(possibleStates, inSendOrder).length === 0) tally.add('reordered');
  if ((await send({ action: 'read', record })) !== 'shown') {
    await send({ action: 'reuseId', record: random.pick(contents) });
    await send({ action: 'create', record });
    await send({ action: 'read', record });
  }
  const last = shownRecords.at(-1);
  if (last !== undefined) await send({ action: 'update', record: createConflict(last, random), match: last });
  for (const content of contents)
    if ((await send({ action: 'create', record: content })) === 'replayed')
      tally.add('late retries replayed');
  await send({ action: 'read', record });
  ledger.check(record);
}
