import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { NewPlant } from '@plant-store/contract/operations';
import type { Entry, Ledger } from './ledger.js';
import type { Random } from './random.js';
import { createConflict } from './random-plants.js';
import {
  type DeleteOutcome,
  type Outcome,
  sendBatch,
  sendCreate,
  sendDelete,
  sendRead,
  type Target,
} from './send-create.js';

/** How to load a service. */
export interface LoadOptions extends Target {
  readonly ledger: Ledger;
  readonly random: Random;
  /** Creates new plants; several loads of one ledger share it. */
  readonly createPlant: () => NewPlant;
  /** How many connections create and delete plants, each one at a time. */
  readonly connections: number;
  /** Whether a connection ends its part once a request had no reply, as after a crash of the service. */
  readonly endsWithoutReply: boolean;
  /** How long a reply may take, in milliseconds; past that it is unexpected. 60,000 by default. */
  readonly replyTimeoutMs?: number;
  /** How long a connection pauses after a request, in milliseconds; 0 by default. */
  readonly pauseMs?: number;
}

/** Callers that keep creating and deleting plants. */
export interface Load {
  /** Resolves once each connection has ended its part by itself. */
  readonly ended: Promise<void>;
  /** The longest time that a reply took so far, in milliseconds. */
  longestReplyMs(): number;
  /** Resolves once no more requests are in flight. */
  stop(): Promise<void>;
}

/** How many of the latest plants are sent again, get a conflict or are deleted. */
const recentCount = 500;
/** How many of the latest deletes meet retries of the creates: about as many as are in flight. */
const deletedCount = 8;
const delayAfterFailureMs = 20;

/** How many plants a batch has at most. */
const maxBatch = 40;

/**
 * Starts to create and delete plants over several connections: most are new, some replays, some conflicts, some those whose
 * earlier outcome is unknown, and some are deleted, while others send the same creates again.
 */
export function startLoad(options: LoadOptions): Load {
  const { ledger, random, connections, endsWithoutReply, replyTimeoutMs = 60_000, pauseMs = 0 } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { choosePlant, chooseDelete } = createChooser(options);
  let stopped = false;
  let longestReplyMs = 0;

  const caller = { ...options, agent };

  /** Sends a request that changes something, and notes how long it takes. */
  async function measure<Result>(request: Promise<Result>): Promise<Result> {
    const sentAt = performance.now();
    const result = await request;
    longestReplyMs = Math.max(longestReplyMs, performance.now() - sentAt);
    return result;
  }

  /** Sends a request and, now and then, reads what it is about. Returns its first outcome. */
  async function send(): Promise<Outcome | DeleteOutcome> {
    const id = random.next() < 0.2 ? chooseDelete() : undefined;
    if (id !== undefined) {
      const isRead = random.next() < 0.3;
      if (isRead) await read(id);
      const attempt = ledger.beginDelete(id);
      const outcome = await measure(sendDelete(caller, id, replyTimeoutMs));
      ledger.endDelete(attempt, outcome);
      if (isRead && outcome.kind === 'deleted') await read(id);
      return outcome;
    }
    const plants = Array.from({ length: random.next() < 0.1 ? 1 + random.below(maxBatch) : 1 }, choosePlant);
    const attempts = plants.map((plant) => ledger.begin(plant));
    const [first] = plants;
    const outcomes =
      plants.length === 1 && first !== undefined
        ? [await measure(sendCreate(caller, first, replyTimeoutMs))]
        : await measure(sendBatch(caller, plants, replyTimeoutMs));
    for (const [index, attempt] of attempts.entries()) {
      const outcome = outcomes[index];
      if (outcome !== undefined) ledger.end(attempt, outcome);
    }
    const acknowledged = plants.find((_, index) => attempts[index]?.entry.acknowledged);
    if (acknowledged !== undefined && random.next() < 0.1) await read(acknowledged.id);
    return outcomes[0] ?? { kind: 'unexpected', reply: 'no outcome' };
  }

  /** Reads a plant, or the newest ones. */
  async function read(id: bigint): Promise<void> {
    const isList = random.next() < 0.3;
    const path = isList ? '/plants?order=newest&limit=50' : `/plants/${id}`;
    const attempt = ledger.beginRead(isList ? undefined : id);
    const shown = await sendRead(caller, path, replyTimeoutMs);
    if (shown === undefined) return;
    if (shown.problem !== undefined) ledger.failRead(shown.problem);
    else ledger.endRead(attempt, shown.plants);
  }

  async function sendContinually(): Promise<void> {
    while (!stopped) {
      const { kind } = await send();
      if (kind === 'no reply' && endsWithoutReply) return;
      const failed = kind === 'no reply' || kind === 'unavailable' || kind === 'rejected';
      if (failed || pauseMs > 0) await delay(Math.max(pauseMs, failed ? delayAfterFailureMs : 0));
    }
  }
  const ended = Promise.all(Array.from({ length: connections }, sendContinually)).then(() => agent.destroy());
  return {
    ended,
    longestReplyMs: () => longestReplyMs,
    stop() {
      stopped = true;
      return ended;
    },
  };
}

/** What is sent next. */
interface Chooser {
  /** The plant of a create. */
  choosePlant(): NewPlant;
  /** The id of a delete, if there is any. */
  chooseDelete(): bigint | undefined;
}

function createChooser({ ledger, random, createPlant }: LoadOptions): Chooser {
  const latest = [...ledger.entries.values()].slice(-recentCount);
  const recent: NewPlant[] = latest.flatMap(([first]) => first?.plant ?? []);
  const isUnknown = ({ plant, acknowledged, taken, unresolved }: Entry) =>
    !acknowledged && !taken && unresolved > 0 && !ledger.isRetired(plant.id);
  const unknown = latest.flat().filter(isUnknown);
  const unknownDeletes = recent.filter(({ id }) => ledger.unresolvedDeletes(id) > 0 && !ledger.isRetired(id));
  const deleted: NewPlant[] = [];
  return {
    choosePlant() {
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
    chooseDelete() {
      if (recent.length === 0) return undefined;
      const unknownDelete = random.next() < 0.5 ? unknownDeletes.pop() : undefined;
      const plant = unknownDelete ?? random.pick(recent);
      deleted.push(plant);
      if (deleted.length > deletedCount) deleted.shift();
      return plant.id;
    },
  };
}
