import { setTimeout as delay } from 'node:timers/promises';
import type { NewPlant } from '@plant-store/contract/operations';
import { Caller, type CallerOptions } from './caller.js';
import type { Request } from './history.js';
import { createConflict, type Random } from './plants.js';

/** How to load a service. */
export interface LoadOptions extends CallerOptions {
  readonly random: Random;
  /** Creates new plants; several loads of one ledger share it. */
  readonly createPlant: () => NewPlant;
  /** Whether a connection ends its part once a request had no reply, as after a crash of the service. */
  readonly endsWithoutReply?: boolean;
  /** How long a connection pauses after a request, in milliseconds; 0 by default. */
  readonly pauseMs?: number;
}

/** Callers that keep creating, updating and deleting plants. */
export type Load = ReturnType<typeof startLoad>;

/** How many of the latest plants are sent again, get a conflict, or are updated or deleted. */
const recentCount = 500;
/** How many of the latest deletes meet retries of the creates, or new plants under their ids: about as many as are in flight. */
const deletedCount = 8;
const delayAfterFailureMs = 20;
/** How many plants a batch has at most. */
const maxBatch = 40;

/**
 * Starts to create, update, delete and read plants over several connections: most are new, some replays, some conflicts, some what was
 * not answered before, and some get the ids of deleted ones, while others send the same creates again.
 */
export function startLoad(options: LoadOptions) {
  const { random, connections, endsWithoutReply = false, pauseMs = 0 } = options;
  const caller = new Caller(options);
  const { choose, choosePlant } = createChooser(options);
  let stopped = false;

  /** Reads a plant, or the newest ones. Returns the plant, if it is shown. */
  async function read(plant: NewPlant) {
    const outcome = await (random.next() < 0.3 ? caller.list() : caller.send({ do: 'read', plant }));
    return outcome?.kind === 'shown' ? outcome.plants?.[0] : undefined;
  }

  /** Sends a request and, now and then, reads what it is about. Returns its first outcome. */
  async function send() {
    if (random.next() < 0.07)
      return (await caller.createAll(Array.from({ length: 1 + random.below(maxBatch) }, choosePlant)))[0];
    const request = choose();
    const { do: what, plant } = request;
    const isRead = random.next() < (what === 'create' ? 0.1 : 0.3);
    const match = isRead && what !== 'create' ? await read(plant) : undefined;
    const outcome = await caller.send({ match, ...request });
    if (isRead && ['stored', 'replayed', 'shown', 'deleted'].includes(outcome.kind)) await read(plant);
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
    /** Resolves once each connection has ended its part by itself. */
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

/** Chooses what is sent next. */
function createChooser({ ledger, random, createPlant }: LoadOptions) {
  const latest = [...ledger.known.values()].slice(-recentCount);
  const recent = latest.flatMap(
    ({ changes }) => [...changes.values()].find((request) => request.do === 'create')?.plant ?? [],
  );
  const unknown = latest.flatMap(({ possible }) => possible[0]?.unanswered ?? []);
  const deleted: NewPlant[] = [];

  /** The plant of a create. */
  function choosePlant(): NewPlant {
    const kind = random.next();
    if (kind > 0.95 && recent.length > 0) return random.pick(recent);
    if (kind > 0.9 && recent.length > 0) return createConflict(random.pick(recent), random);
    if (kind > 0.85 && deleted.length > 0) return random.pick(deleted);
    const plant = createPlant();
    if (recent.length < recentCount) recent.push(plant);
    else recent[random.below(recentCount)] = plant;
    return plant;
  }

  function choose(): Request {
    const again = random.next() < 0.15 ? unknown.pop() : undefined;
    // Half of what a crash left unknown stays so, since not every caller retries.
    if (again !== undefined && random.next() < 0.5) return again.request;
    const kind = random.next();
    if (kind < 0.7 || recent.length === 0) return { do: 'create', plant: choosePlant() };
    const plant = random.pick(recent);
    if (kind < 0.82) return { do: 'update', plant: createConflict(plant, random) };
    if (kind < 0.87 && deleted.length > 0)
      return { do: 'reuseId', plant: createConflict(random.pick(deleted), random) };
    deleted.push(plant);
    if (deleted.length > deletedCount) deleted.shift();
    return { do: 'delete', plant };
  }
  return { choose, choosePlant };
}
