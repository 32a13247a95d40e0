import { setTimeout as delay } from 'node:timers/promises';
import { Caller, type CallerOptions, operations } from './caller.js';
import type { Request } from './history.js';
import type { Outcome } from './ledger.js';
import { has } from './operations.js';
import type { Random } from './random.js';
import { createConflict, type NewRecord } from './records.js';

/** How to load a service. */
export interface LoadOptions extends CallerOptions {
  readonly random: Random;
  /** Creates new records; several loads of one ledger share it. */
  readonly createRecord: () => NewRecord;
  /** Whether a connection stops after a request without a reply, as after a crash of the service. */
  readonly endsWithoutReply?: boolean;
  /** How long a connection pauses after a request, in milliseconds. Default: 0. */
  readonly pauseMs?: number;
}

/** Callers that keep creating, updating and deleting records. */
export type Load = ReturnType<typeof startLoad>;

/** How many of the latest records are used for replays, conflicts, updates and deletes. */
const recentCount = 500;
/**
 * How many of the latest deletes are used for retries of their creates, or for new records under their ids: about as many as are in flight.
 */
const deletedCount = 8;
const delayAfterFailureMs = 20;
/** The maximum number of records in a batch. */
const maxBatch = 40;

/**
 * Starts to create, update, delete and read records of all resources over several connections. Most records are new. Some requests are
 * replays, conflicts, or retries of unanswered ones, and some reuse ids of deleted records while others retry their creates.
 */
export function startLoad(options: LoadOptions) {
  const { random, connections, endsWithoutReply = false, pauseMs = 0 } = options;
  const caller = new Caller(options);
  const { choose, chooseRecord } = createChooser(options);
  let stopped = false;

  /** Reads a record, or the newest ones. Returns the record, if it is shown. */
  async function read(record: NewRecord) {
    const isList = random.next() < 0.3;
    const outcome = await (isList ? caller.list(record.resource) : caller.send({ do: 'read', record }));
    return outcome?.kind === 'shown' ? outcome.records?.[0] : undefined;
  }

  /** Creates records with a batch for each resource, or one by one. */
  function createAll(records: readonly NewRecord[]): Promise<readonly Outcome[]> {
    const groups = Map.groupBy(records, ({ resource }) => resource);
    const sent = [...groups].flatMap(([resource, group]) =>
      has(resource, 'createMany')
        ? caller.createAll(resource, group)
        : group.map(async (record) => [await caller.send({ do: 'create', record })]),
    );
    return Promise.all(sent).then((outcomes) => outcomes.flat());
  }

  /** Sends a request and sometimes reads its record. Returns its first outcome. */
  async function send() {
    if (random.next() < 0.07)
      return (await createAll(Array.from({ length: 1 + random.below(maxBatch) }, chooseRecord)))[0];
    const request = choose();
    const { do: what, record } = request;
    const isRead = random.next() < (what === 'create' ? 0.1 : 0.3);
    const match = isRead && what !== 'create' ? await read(record) : undefined;
    const outcome = await caller.send({ match, ...request });
    if (isRead && ['stored', 'replayed', 'shown', 'deleted'].includes(outcome.kind)) await read(record);
    return outcome;
  }

  async function sendContinually(): Promise<void> {
    while (!stopped) {
      const kind = (await send())?.kind;
      if (kind === 'no reply' && endsWithoutReply) return;
      const failed = kind === 'no reply' || kind === 'unavailable' || kind === 'rejected';
      if (failed || pauseMs > 0) await delay(Math.max(pauseMs, failed ? delayAfterFailureMs : 0));
    }
  }
  const ended = Promise.all(Array.from({ length: connections }, sendContinually)).then(() => caller.close());
  return {
    /** Resolves once every connection has stopped on its own. */
    ended,
    /** The longest time that a reply took so far, in milliseconds. */
    longestReplyMs: () => caller.longestReplyMs,
    /** Resolves once no more requests are in flight. */
    stop(): Promise<void> {
      stopped = true;
      return ended;
    },
  };
}

/** Chooses what to send next. */
function createChooser({ ledger, random, createRecord }: LoadOptions) {
  const latest = [...ledger.known.values()].slice(-recentCount);
  const recent = latest.flatMap(
    ({ changes }) => [...changes.values()].find((request) => request.do === 'create')?.record ?? [],
  );
  const unknown = latest.flatMap(({ possible }) => possible[0]?.unanswered ?? []);
  const deleted: NewRecord[] = [];

  /** The record of a create. */
  function chooseRecord(): NewRecord {
    const kind = random.next();
    if (kind > 0.95 && recent.length > 0) return random.pick(recent);
    if (kind > 0.9 && recent.length > 0) return createConflict(random.pick(recent), random);
    if (kind > 0.85 && deleted.length > 0) return random.pick(deleted);
    const record = createRecord();
    if (recent.length < recentCount) recent.push(record);
    else recent[random.below(recentCount)] = record;
    return record;
  }

  /** Chooses a request, or a create where the resource lacks its operation. */
  function choose(): Request {
    const request = chooseAny();
    const { resource } = request.record;
    return has(resource, operations[request.do]) ? request : { do: 'create', record: chooseRecord() };
  }

  function chooseAny(): Request {
    const again = random.next() < 0.15 ? unknown.pop() : undefined;
    // Half of the unknown outcomes after a crash stay unknown, because not every caller retries.
    if (again !== undefined && random.next() < 0.5) return again.request;
    const kind = random.next();
    if (kind < 0.7 || recent.length === 0) return { do: 'create', record: chooseRecord() };
    const record = random.pick(recent);
    if (kind < 0.82) return { do: 'update', record: createConflict(record, random) };
    if (kind < 0.87 && deleted.length > 0)
      return { do: 'reuseId', record: createConflict(random.pick(deleted), random) };
    deleted.push(record);
    if (deleted.length > deletedCount) deleted.shift();
    return { do: 'delete', record };
  }
  return { choose, chooseRecord };
}
