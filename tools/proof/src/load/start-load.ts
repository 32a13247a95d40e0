import { setTimeout as delay } from 'node:timers/promises';
import type { NewPlant } from '@plant-store/contract/operations';
import { Caller, type CallerOptions } from './caller.js';
import type { Entry } from './ledger.js';
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

/** Callers that keep creating and deleting plants. */
export type Load = ReturnType<typeof startLoad>;

/** How many of the latest plants are sent again, get a conflict or are deleted. */
const recentCount = 500;
/** How many of the latest deletes meet retries of the creates: about as many as are in flight. */
const deletedCount = 8;
const delayAfterFailureMs = 20;
/** How many plants a batch has at most. */
const maxBatch = 40;

/**
 * Starts to create, delete and read plants over several connections: most are new, some replays, some conflicts, some those whose
 * earlier outcome is unknown, and some are deleted, while others send the same creates again.
 */
export function startLoad(options: LoadOptions) {
  const { random, connections, endsWithoutReply = false, pauseMs = 0 } = options;
  const caller = new Caller(options);
  const { choosePlant, chooseDelete } = createChooser(options);
  let stopped = false;

  /** Reads a plant, or the newest ones. */
  const read = (id: bigint) => caller.read(random.next() < 0.3 ? undefined : id);

  /** Sends a request and, now and then, reads what it is about. Returns its first outcome. */
  async function send() {
    const id = random.next() < 0.2 ? chooseDelete() : undefined;
    if (id !== undefined) {
      const isRead = random.next() < 0.3;
      if (isRead) await read(id);
      const outcome = await caller.delete(id);
      if (isRead && outcome.kind === 'deleted') await read(id);
      return outcome;
    }
    const count = random.next() < 0.1 ? 1 + random.below(maxBatch) : 1;
    const plants = Array.from({ length: count }, choosePlant);
    const outcomes = await caller.create(...plants);
    const stored = plants.find((_, index) => ['stored', 'replayed'].includes(outcomes[index]?.kind ?? ''));
    if (stored !== undefined && random.next() < 0.1) await read(stored.id);
    return outcomes[0];
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
  const recent = latest.flatMap(({ entries: [first] }) => first?.plant ?? []);
  const isUnknown = ({ acknowledged, taken, unresolved }: Entry) => !acknowledged && !taken && unresolved > 0;
  const left = latest.filter(({ deletedAt }) => deletedAt === undefined);
  const unknown = left.flatMap(({ entries }) => entries.filter(isUnknown));
  const unknownDeletes = left.filter(({ deletes }) => deletes > 0).flatMap(({ entries }) => entries[0] ?? []);
  const deleted: NewPlant[] = [];
  return {
    /** The plant of a create. */
    choosePlant(): NewPlant {
      const kind = random.next();
      // Half of what a crash left unknown stays so, since not every caller retries.
      if (kind < 0.15 && unknown.length > 0) {
        const entry = unknown.pop();
        if (entry !== undefined && random.next() < 0.5) return entry.plant;
      }
      if (kind > 0.95 && recent.length > 0) return random.pick(recent);
      if (kind > 0.9 && recent.length > 0) return createConflict(random.pick(recent), random);
      if (kind > 0.85 && deleted.length > 0) return random.pick(deleted);
      const plant = createPlant();
      if (recent.length < recentCount) recent.push(plant);
      else recent[random.below(recentCount)] = plant;
      return plant;
    },
    /** The id of a delete, if there is any. */
    chooseDelete(): bigint | undefined {
      if (recent.length === 0) return undefined;
      const again = random.next() < 0.5 ? unknownDeletes.pop()?.plant : undefined;
      const plant = again ?? random.pick(recent);
      deleted.push(plant);
      if (deleted.length > deletedCount) deleted.shift();
      return plant.id;
    },
  };
}
