import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient, followChanges } from '@plant-store/client';
import { errors } from '@plant-store/contract/errors';
import { query } from '@plant-store/postgresql-server';
import Sqlite from 'better-sqlite3';
import { feedOf, followed, toChange } from '../load/followers.js';
import type { Change } from '../load/history.js';
import { callOf, has } from '../load/operations.js';
import { createRandom, type Random } from '../load/random.js';
import { createConflict, type Fields, type NewRecord, nameOf, type Subject } from '../load/records.js';
import { Tally } from '../load/tally.js';
import { type Trial, withTrial } from '../load/trial.js';
import type { Proof, ProofContext, Trials } from '../proof.js';
import { type Engine, type Place, withDatabases } from '../system/databases.js';
import { runSystemProgram, until } from '../system/programs.js';
import { commandOutput } from '../system/service.js';

/** Restores backups at random times while followers keep copies: each ends equal to the store, and none misses a restore. */
export const restore: Proof = [
  restoreOn('restore-sqlite', 'SQLite', 'sqlite'),
  restoreOn('restore-postgresql', 'PostgreSQL', 'postgresql'),
];

function restoreOn(name: string, title: string, engine: Engine): Trials {
  const promise = `After a restore every follower gets an error, and by reading again ends equal to the store, on ${title}`;
  async function prove(count: number, { seed, settings, log }: ProofContext) {
    const random = createRandom(seed);
    const tally = new Tally();
    for (let done = 0; done < count && tally.failures.length === 0; tally.figures['orders'] = ++done) {
      await withDatabases(engine, async (place) => {
        const options = {
          database: await place.createDatabase(),
          random: random.fork(),
          settings,
          logFile: join(place.folder, 'service.log'),
        };
        await withTrial(options, (trial) => runOrder(new Order(engine, place, trial, tally)));
      });
      log(`${name}: ${done + 1} of ${count} orders`);
    }
    return tally.toResult();
  }
  return { name, promise, short: 2, full: 20, prove };
}

/** Runs actions in a random order, and compares all copies with the store. */
async function runOrder(order: Order): Promise<void> {
  const { random } = order.trial;
  await order.begin();
  const steady = order.followSteadily();
  try {
    for (let left = 10 + random.below(10); left > 0 && order.tally.failures.length === 0; left--)
      await order[order.pickStep()]();
    for (const follower of order.followers) await order.follow(follower, Number.POSITIVE_INFINITY);
    await order.compareAll(steady.copies);
  } finally {
    await steady.end();
  }
}

const steps = ['write', 'write', 'write', 'followOne', 'followOne', 'restart'] as const;

/** A copy of the records of a resource. */
interface Copy {
  readonly resource: Subject;
  readonly records: Map<bigint, Fields>;
}

/** A follower that keeps a copy, and reads pages when it is its turn. */
interface Follower extends Copy {
  /** The size of its pages. Some are so small that the follower falls behind. */
  readonly limit: number;
  next: string;
  /** The number of restores when it got that page. */
  restores: number;
}

/** A store, its backups and its followers. */
class Order {
  readonly followers: readonly Follower[];
  private readonly backups: string[] = [];
  /** Backups without a store id, as made by version 1.4. */
  private readonly oldBackups = new Set<string>();
  private readonly records: NewRecord[] = [];
  private readonly random: Random;
  private restores = 0;
  private lastRestored: string | undefined;
  /** Whether the store is from version 1.4, and so returns its cursors. */
  private readonly isOld: boolean;

  constructor(
    private readonly engine: Engine,
    private readonly place: Place,
    readonly trial: Trial,
    readonly tally: Tally,
  ) {
    this.random = trial.random;
    this.isOld = this.random.next() < 0.5;
    this.followers = followed.flatMap((resource) =>
      [1, 7, 1_000].map((limit) => ({ resource, records: new Map(), limit, next: '0', restores: 0 })),
    );
  }

  async begin(): Promise<void> {
    const { database } = this.trial;
    if (this.isOld) await this.change('UPDATE store SET accepts_old_cursors = (1 = 1)', database.url);
    this.tally.add('orders with cursors of version 1.4', this.isOld ? 1 : 0);
    await this.write();
    await this.backUp();
  }

  pickStep(): 'write' | 'followOne' | 'restart' | 'backUp' | 'restore' {
    return this.random.pick([...steps, 'backUp', 'restore', 'restore']);
  }

  private async client(): Promise<Client> {
    const { baseUrl } = await this.trial.service();
    return createClient({ baseUrl, token: this.trial.token });
  }

  async write(): Promise<void> {
    const client = await this.client();
    for (let left = 1 + this.random.below(8); left > 0; left--) {
      const kind = this.random.next();
      const created = kind < 0.6 || this.records.length === 0 ? this.trial.createRecord() : undefined;
      const { resource, id, fields } = created ?? this.random.pick(this.records);
      const call = { params: { id } };
      // Records that a restore removed, or that were deleted, may also be requested.
      if (created !== undefined) {
        this.records.push(created);
        const { status } = await callOf(client, resource, 'create')({ body: { id, ...fields } });
        if (status !== 200) this.tally.fail(`create of ${nameOf(created)}: ${status}`);
      } else if (kind < 0.8 && has(resource, 'update')) {
        const { fields: body } = createConflict({ resource, id, fields }, this.random);
        await callOf(client, resource, 'update')({ ...call, headers: { 'if-match': '*' }, body });
      } else if (has(resource, 'delete')) await callOf(client, resource, 'delete')(call);
      this.tally.add('writes');
    }
  }

  async followOne(): Promise<void> {
    await this.follow(this.random.pick(this.followers), 1 + this.random.below(4));
  }

  /** Reads up to some pages. Expects an error if and only if there was a restore since the previous page. */
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
      for (const change of reply.body.changes) keep(records, toChange(resource, change));
      follower.next = reply.body.next;
      if (reply.body.changes.length === 0 && follower.next === after) return;
    }
  }

  async restart(): Promise<void> {
    const service = await this.trial.service();
    await (this.random.next() < 0.5 ? service.killAll() : service.kill('SIGTERM'));
    this.tally.add('restarts');
  }

  async backUp(): Promise<void> {
    const backup = join(this.place.folder, `backup-${this.backups.length}`);
    if (this.engine === 'sqlite') {
      await commandOutput(['backup', backup], { DATABASE_URL: this.trial.database.url });
      if (this.isOld && this.restores === 0 && this.random.next() < 0.5) {
        this.tally.add('backups of version 1.4');
        this.oldBackups.add(backup);
        rmSync(`${backup}.sha256`);
        await this.change(
          `DROP TABLE plants_history; DELETE FROM _prisma_migrations WHERE migration_name LIKE '%create_plants_history'; DROP TABLE audit; DELETE FROM _prisma_migrations WHERE migration_name LIKE '%create_audit'; DROP TABLE store; DELETE FROM _prisma_migrations WHERE migration_name LIKE '%create_store'`,
          `file:${backup}`,
        );
      }
    } else await this.whileServerIsDown((data) => copyFolder(data, backup));
    this.backups.push(backup);
    this.tally.add('backups');
  }

  async restore(): Promise<void> {
    const backup = this.random.pick(this.backups);
    await (await this.trial.service()).killAll();
    const settings = { DATABASE_URL: this.trial.database.url };
    if (this.engine === 'sqlite') {
      const options = this.oldBackups.has(backup) ? ['--from-other-store'] : [];
      await commandOutput(['restore', backup, ...options], settings);
    } else {
      await this.whileServerIsDown((data) => {
        rmSync(data, { recursive: true });
        return copyFolder(backup, data);
      });
      await commandOutput(['invalidate-cursors'], settings);
    }
    this.restores++;
    this.tally.add('restores');
    if (backup === this.lastRestored) this.tally.add('of the same backup as before');
    this.lastRestored = backup;
  }

  /** Runs an action while PostgreSQL is stopped as in a crash, so that its data can be copied. */
  private async whileServerIsDown(run: (dataFolder: string) => Promise<unknown>): Promise<void> {
    await this.place.programs?.killAll();
    await run(this.place.programs?.dataFolder ?? '');
    await this.place.programs?.start();
  }

  private async change(sql: string, url: string): Promise<void> {
    if (this.engine === 'postgresql') return void (await query(url, sql));
    const file = new Sqlite(url.slice('file:'.length));
    file.exec(sql);
    file.close();
  }

  /** Keeps copies with `followChanges` continuously. */
  followSteadily(): { readonly copies: readonly Copy[]; end(): Promise<void> } {
    const { trial, tally } = this;
    const ending = new AbortController();
    const baseUrl = 'http://service';
    const find: typeof fetch = (url, init) =>
      fetch(String(url).replace(baseUrl, trial.current[0]?.baseUrl ?? baseUrl), init);
    const client = createClient({ baseUrl, token: trial.token, fetch: find });
    async function follow({ resource, records }: Copy): Promise<void> {
      const onCursorExpired = () => {
        tally.add('errors that followChanges reported');
        records.clear();
      };
      const options = { after: '0', wait: 2, signal: ending.signal, onCursorExpired };
      for await (const { changes } of followChanges(feedOf(client, resource), options))
        for (const change of changes) keep(records, toChange(resource, change));
    }
    const copies = followed.map((resource): Copy => ({ resource, records: new Map() }));
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

  async compareAll(steady: readonly Copy[]): Promise<void> {
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
    await this.trial.service();
    await until(
      () => steady.every((copy) => findDifferences(copy).length === 0) || this.tally.failures.length > 0,
      'followChanges has all',
    );
    const copies = [...this.followers, ...steady];
    for (const [index, copy] of copies.entries())
      for (const id of findDifferences(copy))
        this.tally.fail(`follower ${index + 1} differs in ${nameOf({ ...copy, id })}`);
    this.tally.add('copies compared', copies.length);
    this.tally.add('records compared', rows.length);
  }
}

/** With the owners, which PostgreSQL requires. */
const copyFolder = (from: string, to: string) => runSystemProgram('cp', '-a', from, to);

function keep(records: Map<bigint, Fields>, { id, record }: Change): void {
  if (record === undefined) records.delete(id);
  else records.set(id, record.fields);
}
