import { join } from 'node:path';
import { Caller, operations as operationOf } from '../load/caller.js';
import { explain, type Request } from '../load/history.js';
import { has } from '../load/operations.js';
import { createRandom } from '../load/random.js';
import { createConflict, createRecordSource, type NewRecord, type Shown } from '../load/records.js';
import { Tally } from '../load/tally.js';
import { type Trial, withTrial } from '../load/trial.js';
import type { Proof, ProofContext, Trials } from '../proof.js';
import { type Engine, withDatabases } from '../system/databases.js';
import type { Service } from '../system/service.js';

/** How many sequences run at a time, each over separate connections, so that a commit has requests of several. */
const sequencesAtATime = 16;

/** Creates, updates, deletes and reads one record and reuses its id, all at the same time. Some order must explain the replies. */
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
  ownSettings: Readonly<Record<string, string>> = {},
  instances = 1,
): Trials {
  const promise = `One order explains what is done with one id at the same time, on ${title}`;
  async function prove(count: number, { seed, settings, log }: ProofContext) {
    const tally = new Tally();
    let sent = 0;
    await withDatabases(engine, async ({ folder, createDatabase }) => {
      const options = {
        database: await createDatabase(),
        random: createRandom(seed),
        logFile: join(folder, 'service.log'),
        settings: { ...ownSettings, ...settings },
      };
      await withTrial(options, async (trial) => {
        const service = await trial.service();
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
        await Promise.all(Array.from({ length: sequencesAtATime }, race));
        await other.killAll();
        await tally.checkAtEnd(trial);
      });
    });
    tally.figures['sequences'] = sent;
    return tally.toResult();
  }
  return { name, promise, short: 200, full: 10_000, prove };
}

/**
 * Sends random requests about an id from several connections at the same time. Then, sequentially, it reuses the id if the record was
 * deleted, updates the record, and retries all creates; one of them is a replay that must not revert the update. It skips operations that
 * the resource does not have.
 */
async function runOne(
  { ledger, random }: Trial,
  callers: readonly Caller[],
  record: NewRecord,
  tally: Tally,
) {
  const { resource } = record;
  // Few, so that contents repeat.
  const contents = [record, createConflict(record, random), createConflict(record, random)];
  const known: Shown[] = [];

  async function send(request: Request, caller = random.pick(callers)): Promise<string | undefined> {
    if (!has(resource, operationOf[request.do])) return undefined;
    if (request.do === 'create' && has(resource, 'createMany') && random.next() < 0.2)
      return (await caller.createAll(resource, [request.record, random.pick(contents)]))[0]?.kind;
    const outcome = await caller.send(request);
    if (outcome.kind === 'shown') known.push(...(outcome.records ?? []));
    return outcome.kind;
  }

  function choose(): Request {
    const kind = random.next();
    const content = random.pick(contents);
    if (kind < 0.25) return { do: 'create', record: random.next() < 0.8 ? record : content };
    if (kind < 0.4) return { do: 'delete', record };
    if (kind < 0.55) return { do: 'reuseId', record: content };
    if (kind < 0.7) return { do: 'read', record };
    // The record as last shown, as shown earlier, or no condition.
    const match = random.next() < 0.5 ? known.at(-1) : known[random.below(known.length + 1)];
    return { do: 'update', record: content, match };
  }
  if (random.next() < 0.6) await send({ do: 'create', record });
  if (random.next() < 0.4) await send({ do: 'read', record });
  const sendSome = async (caller: Caller) => {
    for (let left = 1 + random.below(4); left > 0; left--) await send(choose(), caller);
  };
  await Promise.all(callers.map(sendSome));

  const { possible, operations } = ledger.knownOf(record);
  const inTurn = operations.map((one, at) => ({ ...one, after: undefined, start: at, end: at }));
  tally.add('requests at the same time', operations.length);
  if (explain(possible, inTurn).length === 0) tally.add('in another order than sent');
  if ((await send({ do: 'read', record })) !== 'shown') {
    await send({ do: 'reuseId', record: random.pick(contents) });
    await send({ do: 'create', record });
    await send({ do: 'read', record });
  }
  const last = known.at(-1);
  if (last !== undefined) await send({ do: 'update', record: createConflict(last, random), match: last });
  for (const content of contents)
    if ((await send({ do: 'create', record: content })) === 'replayed') tally.add('late retries replayed');
  await send({ do: 'read', record });
  ledger.check(record);
}
