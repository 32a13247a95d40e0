import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NewPlant } from '@plant-store/contract/operations';
import { Caller } from '../load/caller.js';
import { createPlantSource, createRandom, type Random } from '../load/plants.js';
import { Tally } from '../load/tally.js';
import { type Trial, withTrial } from '../load/trial.js';
import type { Proof, ProofContext, Trials } from '../proof.js';
import { type Engine, withDatabases } from '../system/databases.js';
import type { Service } from '../system/service.js';
import { explainReplies, type State } from './explain-replies.js';

/** So many pairs race at a time, each over connections of its own, so that a commit has requests of several. */
const racers = 16;

/** Sends a create and a delete of one id at the same moment, again and again: one of them must come first. */
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
  const promise = `Of a create and a delete of one id one comes first, on ${title}`;
  async function prove(count: number, { seed, settings }: ProofContext) {
    const tally = new Tally();
    const pairs = [new Pairs('nothing'), new Pairs('a plant')] as const;
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
        await raceAll(trial, [service, other], pairs, count, tally);
        await other.killAll();
        await tally.checkAtEnd(trial);
      });
    });
    for (const { before, createFirst, deleteFirst } of pairs) {
      tally.figures[`pairs of ${before}`] = createFirst + deleteFirst;
      tally.figures[`of ${before} create first`] = createFirst;
    }
    return tally.toResult();
  }
  return { name, promise, short: 200, full: 10_000, prove };
}

/** Races new and stored plants in turns, several at a time, until a pair fails. */
async function raceAll(
  { token, ledger, random }: Trial,
  services: readonly [Service, Service],
  pairs: readonly [Pairs, Pairs],
  count: number,
  tally: Tally,
): Promise<void> {
  const createPlant = createPlantSource(random.fork());
  const connect = ({ baseUrl }: Service) => new Caller({ baseUrl, token, ledger, connections: 1 });
  let sent = 0;
  async function race(): Promise<void> {
    const [one, other] = [connect(services[0]), connect(services[1])];
    while (sent < 2 * count && tally.failures.length === 0 && ledger.failures.length === 0) {
      const place = sent++;
      // Every second pair of each is sent the other way around.
      const callers = place % 4 < 2 ? ([one, other] as const) : ([other, one] as const);
      const failure = await racePair(createPlant(), pairs[place % 2 === 0 ? 0 : 1], random, ...callers);
      if (failure !== undefined) tally.fail(failure);
    }
    for (const caller of [one, other]) caller.close();
  }
  await Promise.all(Array.from({ length: racers }, race));
}

/**
 * Sends a create and a delete of a plant at the same moment, and then reads and creates it again; one that is there before is read
 * before, too. The create comes alone or twice in a batch.
 *
 * @returns what no order of them explains; the ledger has what contradicts other replies
 */
async function racePair(
  plant: NewPlant,
  pairs: Pairs,
  random: Random,
  creating: Caller,
  deleting: Caller,
): Promise<string | undefined> {
  const create = async (caller: Caller, count = 1) =>
    (await caller.create(...Array.from({ length: count }, () => plant))).map(({ kind }) => kind);
  const before = pairs.before === 'nothing' ? [] : await create(creating);
  if (pairs.before === 'a plant') await deleting.read(plant.id);
  const { createMs, deleteMs } = pairs.waits(random);
  const [created, deleted] = await Promise.all([
    wait(createMs).then(() => create(creating, random.next() < 0.25 ? 2 : 1)),
    wait(deleteMs).then(() => deleting.delete(plant.id)),
  ]);
  const order = explainReplies(pairs.before, created, deleted.kind);
  if (order !== undefined) pairs.note(order.first);
  const [reading, retrying] = random.next() < 0.5 ? [creating, deleting] : [deleting, creating];
  const shown = await reading.read(plant.id);
  const retried = await create(retrying);
  const [isShown, isRetried] = order?.after === 'a plant' ? ['shown', 'replayed'] : ['not found', 'retired'];
  if (order !== undefined && shown.kind === isShown && retried[0] === isRetried) return undefined;
  const creates = [...before, ...created].join(', ');
  return `plant ${plant.id}: create ${creates}; delete ${deleted.kind}; then ${shown.kind}; create again ${retried}`;
}

async function wait(ms: number): Promise<void> {
  if (ms > 0) await delay(ms);
}

/**
 * Pairs of a create and a delete, whose ids have the same before. The one that comes first more often is sent later, so that both
 * do so about as often.
 */
class Pairs {
  createFirst = 0;
  deleteFirst = 0;
  /** How long the delete waits for the create, in milliseconds; negative if the create waits. */
  private lagMs = 0;

  constructor(readonly before: Exclude<State, 'a deleted plant'>) {}

  note(first: 'create' | 'delete'): void {
    const stepMs = 0.1 + 0.1 * Math.abs(this.lagMs);
    this.lagMs += first === 'create' ? -stepMs : stepMs;
    if (first === 'create') this.createFirst++;
    else this.deleteFirst++;
  }

  /** How long each waits, in whole milliseconds. */
  waits(random: Random): { readonly createMs: number; readonly deleteMs: number } {
    const lagMs = Math.floor(this.lagMs + random.next());
    return { createMs: Math.max(0, -lagMs), deleteMs: Math.max(0, lagMs) };
  }
}
