import { setTimeout as delay } from 'node:timers/promises';
import { Caller, type CallerOptions, operationByRequest } from './caller.js';
import type { Request } from './history.js';
import type { Outcome } from './ledger.js';
import { hasOperation } from './operations.js';
import type { Random } from './random.js';
import { createConflict, type NewRecord } from './records.js';

/** How to load a service. */
export interface LoadOptions extends CallerOptions {
  readonly random: Random;
  /** Creates new records. The loads of one ledger share it. */
  readonly createRecord: () => NewRecord;
  /** Whether a connection stops after a request without a reply, such as after a crash of the service. */
  readonly stopsOnLostReply?: boolean;
  /** How long a connection pauses after a request. Default: 0. */
  readonly pauseMs?: number;
}

export type Load = ReturnType<typeof startLoad>;

/** How many of the latest records are used for replays, conflicts, updates, and deletes. */
const recentCount = 500;

/** How many recently deleted records can be re-created or have their IDs reused. About as many deletes are in flight at once. */
const deletedCount = 8;

const delayAfterFailureMs = 20;

/** The maximum number of records in a batch. */
const maxBatch = 40;

const batchProbability = 0.07;

/**
 * Sends a random mix of creates, updates, deletes, and reads over several connections. Most records are new. Some requests are replays,
 * conflicts, or retries of unanswered requests, and some reuse the IDs of deleted records.
 */
export function startLoad(options: LoadOptions) {
  const { random, connections, stopsOnLostReply = false, pauseMs = 0 } = options;
  const caller = new Caller(options);
  const { choose, chooseRecord } = createChooser(options);
  let stopped = false;

  /** Reads a record or a list of the newest records. Returns the record, if the reply shows it. */
  async function read(record: NewRecord) {
    const isList = random.next() < 0.3;
    const outcome = await (isList ? caller.list(record.resource) : caller.send({ action: 'read', record }));
    return outcome?.kind === 'shown' ? outcome.records?.[0] : undefined;
  }

  /** Creates records in a batch for each resource, or one by one if the resource has no batches. */
  function createAll(records: readonly NewRecord[]): Promise<readonly Outcome[]> {
    const groups = Map.groupBy(records, ({ resource }) => resource);
    const sent = [...groups].flatMap(([resource, group]) =>
      hasOperation(resource, 'createMany')
        ? caller.createAll(resource, group)
        : group.map(async (record) => [await caller.send({ action: 'create', record })]),
    );
    return Promise.all(sent).then((outcomes) => outcomes.flat());
  }

  /** Sends a request, and sometimes reads its record before and after. Returns its outcome. */
  async function send() {
    if (random.next() < batchProbability)
      return (await createAll(Array.from({ length: 1 + random.below(maxBatch) }, chooseRecord)))[0];
    const request = choose();
    const { action, record } = request;
    const readsAround = random.next() < (action === 'create' ? 0.1 : 0.3);
    const match = readsAround && action !== 'create' ? await read(record) : undefined;
    const outcome = await caller.send({ ...request, match: request.match ?? match });
    if (readsAround && ['stored', 'replayed', 'shown', 'deleted'].includes(outcome.kind)) await read(record);
    return outcome;
  }

  async function sendContinually(): Promise<void> {
    while (!stopped) {
      const kind = (await send())?.kind;
      if (kind === 'no reply' && stopsOnLostReply) return;
      const failed = kind === 'no reply' || kind === 'unavailable' || kind === 'rejected';
      if (failed || pauseMs > 0) await delay(Math.max(pauseMs, failed ? delayAfterFailureMs : 0));
    }
  }
  const ended = Promise.all(Array.from({ length: connections }, sendContinually)).then(() => caller.close());
  return {
    /** Resolves once every connection has stopped. */
    ended,
    /** Returns the longest time that a write has taken so far, in milliseconds. */
    longestReplyMs: () => caller.longestReplyMs,
    /** Stops sending requests, and resolves once none is in flight. */
    stop(): Promise<void> {
      stopped = true;
      return ended;
    },
  };
}

/** Chooses what to send next. */
function createChooser({ ledger, random, createRecord }: LoadOptions) {
  const latest = [...ledger.entries.values()].slice(-recentCount);
  const recent = latest.flatMap(
    ({ writes }) => [...writes.values()].find((request) => request.action === 'create')?.record ?? [],
  );
  const unansweredRequests = latest.flatMap(({ possibleStates }) => possibleStates[0]?.unanswered ?? []);
  const deleted: NewRecord[] = [];

  /** Chooses the record of a create. */
  function chooseRecord(): NewRecord {
    const roll = random.next();
    if (roll > 0.95 && recent.length > 0) return random.pick(recent);
    if (roll > 0.9 && recent.length > 0) return createConflict(random.pick(recent), random);
    if (roll > 0.85 && deleted.length > 0) return random.pick(deleted);
    const record = createRecord();
    if (recent.length < recentCount) recent.push(record);
    else recent[random.below(recentCount)] = record;
    return record;
  }

  /** Chooses a request, or a create if the resource does not have its operation. */
  function choose(): Request {
    const request = chooseAny();
    const { resource } = request.record;
    return hasOperation(resource, operationByRequest[request.action])
      ? request
      : { action: 'create', record: chooseRecord() };
  }

  function chooseAny(): Request {
    const unanswered = random.next() < 0.15 ? unansweredRequests.pop() : undefined;
    // Retry only half of the unanswered requests, because not every real client retries.
    if (unanswered !== undefined && random.next() < 0.5) return unanswered.request;
    const roll = random.next();
    if (roll < 0.7 || recent.length === 0) return { action: 'create', record: chooseRecord() };
    const record = random.pick(recent);
    if (roll < 0.82) return { action: 'update', record: createConflict(record, random) };
    if (roll < 0.87 && deleted.length > 0)
      return { action: 'reuseId', record: createConflict(random.pick(deleted), random) };
    deleted.push(record);
    if (deleted.length > deletedCount) deleted.shift();
    return { action: 'delete', record };
  }
  return { choose, chooseRecord };
}
