import { Agent } from 'node:http';
import { join } from 'node:path';
import { compareAtEnd } from '../crash/compare-at-end.js';
import type { Engine } from '../databases/database.js';
import { withDatabases } from '../databases/with-databases.js';
import { createRandom } from '../load/random.js';
import { createPlantSource } from '../load/random-plants.js';
import type { Caller } from '../load/send-create.js';
import { Tally } from '../load/tally.js';
import { type Trial, withTrial } from '../load/trial.js';
import type { Proof, ProofContext, ProofResult } from '../proof.js';
import type { RunningService } from '../service/start-service.js';
import { Pairs, racePair } from './race-pair.js';

/** Services on one database. */
interface Kind {
  readonly title: string;
  readonly engine: Engine;
  readonly instances: number;
  readonly settings?: Readonly<Record<string, string>>;
}

const kinds = {
  'races-sqlite': { title: 'SQLite', engine: 'sqlite', instances: 1 },
  'races-workers': {
    title: 'SQLite with workers',
    engine: 'sqlite',
    instances: 1,
    settings: { WORKERS: '2' },
  },
  'races-postgresql': { title: 'PostgreSQL', engine: 'postgresql', instances: 1 },
  'races-instances': { title: 'PostgreSQL with two instances', engine: 'postgresql', instances: 2 },
} as const satisfies Record<string, Kind>;

export const kindsOfRaces = Object.keys(kinds) as (keyof typeof kinds)[];

/** So many pairs race at a time, each over connections of its own, so that a commit has requests of several. */
const racers = 16;

/** Sends a create and a delete of one id at the same moment, again and again: one of them must come first. */
export const races: Proof = async (context) => {
  const results: ProofResult[] = [];
  for (const kind of kindsOfRaces) results.push(await raceOn(kind, context));
  return results;
};

export async function raceOn(
  kind: keyof typeof kinds,
  { seed, amount, trials, log, ...context }: ProofContext,
): Promise<ProofResult> {
  const { title, engine, instances, settings: own }: Kind = kinds[kind];
  const count = trials?.[kind] ?? { short: 200, full: 10_000 }[amount];
  const settings = { ...own, ...context.settings };
  const tally = new Tally();
  const [ofNew, ofStored] = [new Pairs('nothing'), new Pairs('a plant')];
  await withDatabases(engine, async ({ folder, server }) => {
    const database = await server.createDatabase();
    const logFile = join(folder, 'service.log');
    await withTrial({ database, random: createRandom(seed), logFile, settings }, async (trial) => {
      const service = await trial.launch().started;
      const other = instances === 1 ? service : await trial.launch(`${logFile}.2`).started;
      await raceAll(trial, [service, other], [ofNew, ofStored], count, tally);
      await Promise.all([service.killAll(), other.killAll()]);
      await compareAtEnd(trial, tally);
    });
  });
  log(`${2 * count} pairs on ${title}`);
  return tally.toResult(`Of a create and a delete of one id one comes first, on ${title}`, {
    'pairs of a new plant': ofNew.createFirst + ofNew.deleteFirst,
    'of a new plant create first': ofNew.createFirst,
    'pairs of a stored plant': ofStored.createFirst + ofStored.deleteFirst,
    'of a stored plant create first': ofStored.createFirst,
  });
}

/** Races new and stored plants in turns, several at a time, until a pair fails. */
async function raceAll(
  { token, ledger, random }: Trial,
  services: readonly [RunningService, RunningService],
  pairs: readonly [Pairs, Pairs],
  count: number,
  tally: Tally,
): Promise<void> {
  const createPlant = createPlantSource(random.fork());
  const connect = ({ baseUrl }: RunningService): Caller => ({
    ...{ baseUrl, token },
    agent: new Agent({ keepAlive: true, maxSockets: 1 }),
  });
  let sent = 0;
  async function race(): Promise<void> {
    const [one, other] = [connect(services[0]), connect(services[1])];
    while (sent < 2 * count && tally.failures.length === 0 && ledger.failures.length === 0) {
      const place = sent++;
      // Every second pair of each is sent the other way around.
      const [creating, deleting] = place % 4 < 2 ? [one, other] : [other, one];
      const options = { pairs: pairs[place % 2 === 0 ? 0 : 1], ledger, random, creating, deleting };
      const failure = await racePair(createPlant(), options);
      if (failure !== undefined) tally.failures.push(failure);
    }
    for (const { agent } of [one, other]) agent.destroy();
  }
  await Promise.all(Array.from({ length: racers }, race));
}
