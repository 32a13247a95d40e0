import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient, followChanges } from '@plant-store/client';
import { errors } from '@plant-store/contract/errors';
import { feedOf, followedResources, toChange } from '../load/followers.js';
import type { Change } from '../load/history.js';
import { callOf, hasOperation } from '../load/operations.js';
import { createRandom, type Random } from '../load/random.js';
import { createConflict, type Fields, type NewRecord, nameOf, type TestedResource } from '../load/records.js';
import { Tally } from '../load/tally.js';
import { type Trial, withTrial } from '../load/trial.js';
import type { Proof, ProofContext, Trials } from '../proof.js';
import { type Engine, type TestBed, withDatabases } from '../system/databases.js';
import { runSystemProgram, waitUntil } from '../system/programs.js';
import { runPlantStore } from '../system/service.js';

/**
 * Restores backups at random times while followers keep copies. In the end, each copy must equal the store, and no follower may miss a
 * restore.
 */
export const restore: Proof = [
  restoreOn('restore-sqlite', 'SQLite', 'sqlite'),
  restoreOn('restore-postgresql', 'PostgreSQL', 'postgresql'),
];

function restoreOn(name: string, title: string, engine: Engine): Trials {
  const promise = `After a restore, every follower gets an error, and can read an exact copy again, on ${title}`;
  async function prove(count: number, { seed, settings, log }: ProofContext) {
    const random = createRandom(seed);
    const tally = new Tally();
    for (let done = 0; done < count && tally.failures.length === 0; tally.figures['scenarios'] = ++done) {
      await withDatabases(engine, async (testBed) => {
        const options = {
          database: await testBed.createDatabase(),
          random: random.fork(),
          settings,
          logFile: join(testBed.folder, 'service.log'),
        };
        await withTrial(options, (trial) => runScenario(new RestoreScenario(engine, testBed, trial, tally)));
      });
      log(`${name}: ${done + 1} of ${count} scenarios`);
    }
    return tally.toResult();
  }
  return { name, promise, short: 2, full: 20, prove };
}

/** Runs random steps, and compares all copies with the store. */
async function runScenario(scenario: RestoreScenario): Promise<void> {
  const { trial, tally } = scenario;
  await scenario.begin();
  const continuous = scenario.followContinuously();
  try {
    const stepCount = 10 + trial.random.below(10);
    for (let step = 0; step < stepCount && tally.failures.length === 0; step++)
      await scenario[scenario.pickStep()]();
    for (const follower of scenario.followers) await scenario.follow(follower, Number.POSITIVE_INFINITY);
    await scenario.compareAll(continuous.copies);
  } finally {
    await continuous.end();
  }
}

/** The steps to pick from. Some are listed several times, so that they are picked more often. */
const steps = [
  ...(['write', 'write', 'write', 'followOne', 'followOne', 'restart'] as const),
  ...(['backUp', 'restore', 'restore'] as const),
];

/** A copy of the records of a resource. */
interface Copy {
  readonly resource: TestedResource;
  readonly records: Map<bigint, Fields>;
}

/** A follower that keeps a copy, and reads pages in random steps. */
interface Follower extends Copy {
  /** The page size. Some are so small that the follower falls behind. */
  readonly limit: number;
  next: string;
  /** The number of restores before `next` was returned. */
  restores: number;
}

/** A store, its backups, and its followers. */
class RestoreScenario {
  readonly followers: readonly Follower[];
  private readonly backups: string[] = [];
  private readonly records: NewRecord[] = [];
  private readonly random: Random;
  private restores = 0;
  private lastRestored: string | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly testBed: TestBed,
    readonly trial: Trial,
    readonly tally: Tally,
  ) {
    this.random = trial.random;
    this.followers = followedResources.flatMap((resource) =>
      [1, 7, 1_000].map((limit) => ({ resource, records: new Map(), limit, next: '0', restores: 0 })),
    );
  }

  async begin(): Promise<void> {
    await this.write();
    await this.backUp();
  }

  pickStep(): (typeof steps)[number] {
    return this.random.pick(steps);
  }

  private async client(): Promise<Client> {
    const { baseUrl } = await this.trial.runningService();
    return createClient({ baseUrl, token: this.trial.token });
  }

  async write(): Promise<void> {
    const client = await this.client();
    for (let remaining = 1 + this.random.below(8); remaining > 0; remaining--) {
      const roll = this.random.next();
      const created = roll < 0.6 || this.records.length === 0 ? this.trial.createRecord() : undefined;
      const { resource, id, fields } = created ?? this.random.pick(this.records);
      const call = { params: { id } };
      // The picked record might no longer exist, after a restore or a delete.
      if (created !== undefined) {
        this.records.push(created);
        const { status } = await callOf(client, resource, 'create')({ body: { id, ...fields } });
        if (status !== 200) this.tally.fail(`create of ${nameOf(created)}: ${status}`);
      } else if (roll < 0.8 && hasOperation(resource, 'update')) {
        const { fields: body } = createConflict({ resource, id, fields }, this.random);
        await callOf(client, resource, 'update')({ ...call, headers: { 'if-match': '*' }, body });
      } else if (hasOperation(resource, 'delete')) await callOf(client, resource, 'delete')(call);
      this.tally.add('writes');
    }
  }

  async followOne(): Promise<void> {
    await this.follow(this.random.pick(this.followers), 1 + this.random.below(4));
  }

  /** Reads up to `maxPages` pages. Expects an error if and only if there was a restore since the previous page. */
  async follow(follower: Follower, maxPages: number): Promise<void> {
    const client = await this.client();
    for (let page = 0; page < maxPages; page++) {
      const { resource, records, next: after, limit } = follower;
      const mustExpire = after !== '0' && follower.restores !== this.restores;
      const reply = await feedOf(client, resource).listChanges({ query: { after, limit } });
      const hasExpired = reply.status === 400 && reply.body.error === errors.cursor_expired.error;
      if (mustExpire !== hasExpired || (reply.status !== 200 && !hasExpired)) {
        this.tally.fail(
          `${reply.status} ${JSON.stringify(reply.body).slice(0, 200)} for after=${after}, ${this.restores - follower.restores} restores later`,
        );
        return;
      }
      follower.restores = this.restores;
      if (reply.status !== 200) {
        this.tally.add('errors after a restore');
        records.clear();
        follower.next = '0';
        continue;
      }
      this.tally.add('pages');
      for (const change of reply.body.changes) apply(records, toChange(resource, change));
      follower.next = reply.body.next;
      if (reply.body.changes.length === 0 && follower.next === after) return;
    }
  }

  async restart(): Promise<void> {
    const service = await this.trial.runningService();
    await (this.random.next() < 0.5 ? service.killAll() : service.kill('SIGTERM'));
    this.tally.add('restarts');
  }

  async backUp(): Promise<void> {
    const backup = join(this.testBed.folder, `backup-${this.backups.length}`);
    if (this.engine === 'sqlite')
      await runPlantStore(['backup', backup], { DATABASE_URL: this.trial.database.url });
    else await this.whileServerIsDown((dataFolder) => copyFolder(dataFolder, backup));
    this.backups.push(backup);
    this.tally.add('backups');
  }

  async restore(): Promise<void> {
    const backup = this.random.pick(this.backups);
    await (await this.trial.runningService()).killAll();
    const settings = { DATABASE_URL: this.trial.database.url };
    if (this.engine === 'sqlite') await runPlantStore(['restore', backup], settings);
    else {
      await this.whileServerIsDown((dataFolder) => {
        rmSync(dataFolder, { recursive: true });
        return copyFolder(backup, dataFolder);
      });
      await runPlantStore(['invalidate-cursors'], settings);
    }
    this.restores++;
    this.tally.add('restores');
    if (backup === this.lastRestored) this.tally.add('of the same backup as before');
    this.lastRestored = backup;
  }

  /** Runs an action while PostgreSQL is down after a crash, so that its data can be copied. */
  private async whileServerIsDown(run: (dataFolder: string) => Promise<unknown>): Promise<void> {
    await this.testBed.programs?.killAll();
    await run(this.testBed.programs?.dataFolder ?? '');
    await this.testBed.programs?.start();
  }

  /** Keeps copies continuously with `followChanges`. */
  followContinuously(): { readonly copies: readonly Copy[]; end(): Promise<void> } {
    const { trial, tally } = this;
    const ending = new AbortController();
    const client = trial.createFollowingClient();
    async function follow({ resource, records }: Copy): Promise<void> {
      const onCursorExpired = () => {
        tally.add('errors that followChanges reported');
        records.clear();
      };
      const options = { after: '0', wait: 2, signal: ending.signal, onCursorExpired };
      for await (const { changes } of followChanges(feedOf(client, resource), options))
        for (const change of changes) apply(records, toChange(resource, change));
    }
    const copies = followedResources.map((resource): Copy => ({ resource, records: new Map() }));
    const following = copies.map((copy) =>
      follow(copy).catch((error: unknown) => {
        if (!ending.signal.aborted) tally.fail(`followChanges ended: ${error}`);
      }),
    );
    return {
      copies,
      async end() {
        ending.abort();
        await Promise.all(following);
      },
    };
  }

  async compareAll(continuous: readonly Copy[]): Promise<void> {
    const rows = (await this.trial.database.readRows()).filter(({ deleted }) => !deleted);
    function findDifferences({ resource, records }: Copy): readonly bigint[] {
      const stored = rows.filter((row) => row.resource === resource);
      const ids = new Set(stored.map(({ id }) => id));
      const isCopied = ({ id, fields }: NewRecord) => resource.isSame(records.get(id) ?? {}, fields);
      return [
        ...stored.flatMap((row) => (records.has(row.id) && isCopied(row) ? [] : row.id)),
        ...[...records.keys()].filter((id) => !ids.has(id)),
      ];
    }
    await this.trial.runningService();
    await waitUntil(
      () => continuous.every((copy) => findDifferences(copy).length === 0) || this.tally.failures.length > 0,
      'the copies of followChanges are complete',
    );
    const copies = [...this.followers, ...continuous];
    for (const [index, copy] of copies.entries())
      for (const id of findDifferences(copy))
        this.tally.fail(`follower ${index + 1} differs in ${nameOf({ ...copy, id })}`);
    this.tally.add('copies compared', copies.length);
    this.tally.add('records compared', rows.length);
  }
}

/** Copies a folder with its owners, because PostgreSQL requires them. */
const copyFolder = (from: string, to: string) => runSystemProgram('cp', '-a', from, to);

/** Applies a change to a copy. */
function apply(records: Map<bigint, Fields>, { id, record }: Change): void {
  if (record === undefined) records.delete(id);
  else records.set(id, record.fields);
}
