import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Entry, Ledger } from './ledger.js';
import type { Random } from './random.js';
import { createConflict, type SentPlant } from './random-plants.js';
import { type Outcome, sendBatch, sendCreate, sendRead, type Target } from './send-create.js';

/** How to load a service. */
export interface LoadOptions extends Target {
  readonly ledger: Ledger;
  readonly random: Random;
  /** Creates new plants; several loads of one ledger share it. */
  readonly createPlant: () => SentPlant;
  /** How many connections create plants, each one at a time. */
  readonly connections: number;
  /** Whether a connection ends its part once a request had no reply, as after a crash of the service. */
  readonly endsWithoutReply: boolean;
  /** How long a reply may take, in milliseconds; past that it is unexpected. 60,000 by default. */
  readonly replyTimeoutMs?: number;
  /** How long a connection pauses after a request, in milliseconds; 0 by default. */
  readonly pauseMs?: number;
}

/** Callers that keep creating plants. */
export interface Load {
  /** Resolves once each connection has ended its part by itself. */
  readonly ended: Promise<void>;
  /** The longest time that a reply took so far, in milliseconds. */
  longestReplyMs(): number;
  /** Resolves once no more requests are in flight. */
  stop(): Promise<void>;
}

/** How many of the latest plants are sent again or get a conflict. */
const recentCount = 500;
const delayAfterFailureMs = 20;

/** How many plants a batch has at most. */
const maxBatch = 40;

/**
 * Starts to create plants over several connections: most are new, some replays, some conflicts, and some those whose earlier
 * outcome is unknown.
 */
export function startLoad(options: LoadOptions): Load {
  const { ledger, random, connections, endsWithoutReply, replyTimeoutMs = 60_000, pauseMs = 0 } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const choose = createChooser(options);
  let stopped = false;
  let longestReplyMs = 0;

  const caller = { ...options, agent };

  /** Sends a create or, now and then, a batch, and sometimes reads what was acknowledged. Returns the first outcome. */
  async function send(): Promise<Outcome> {
    const plants = Array.from({ length: random.next() < 0.1 ? 1 + random.below(maxBatch) : 1 }, choose);
    const entries = plants.map((plant) => ledger.begin(plant));
    const sentAt = performance.now();
    const [first] = plants;
    const outcomes =
      plants.length === 1 && first !== undefined
        ? [await sendCreate(caller, first, replyTimeoutMs)]
        : await sendBatch(caller, plants, replyTimeoutMs);
    longestReplyMs = Math.max(longestReplyMs, performance.now() - sentAt);
    for (const [index, entry] of entries.entries()) {
      const outcome = outcomes[index];
      if (outcome !== undefined) ledger.end(entry, outcome);
    }
    const acknowledged = entries.find((entry) => entry.acknowledged);
    if (acknowledged !== undefined && random.next() < 0.1) await read(acknowledged);
    return outcomes[0] ?? { kind: 'unexpected', reply: 'no outcome' };
  }

  /** Reads a plant that was acknowledged, or the newest ones. */
  async function read(entry: Entry): Promise<void> {
    const isList = random.next() < 0.3;
    const path = isList ? '/plants?order=newest&limit=50' : `/plants/${entry.plant.id}`;
    const shown = await sendRead(caller, path, replyTimeoutMs);
    if (shown === undefined) return;
    if (shown.problem !== undefined) ledger.failRead(shown.problem);
    for (const plant of shown.plants) ledger.show(plant);
    if (!isList && shown.plants.length === 0) ledger.miss(entry);
  }

  async function createPlants(): Promise<void> {
    while (!stopped) {
      const { kind } = await send();
      if (kind === 'no reply' && endsWithoutReply) return;
      const failed = kind === 'no reply' || kind === 'unavailable' || kind === 'rejected';
      if (failed || pauseMs > 0) await delay(Math.max(pauseMs, failed ? delayAfterFailureMs : 0));
    }
  }
  const ended = Promise.all(Array.from({ length: connections }, createPlants)).then(() => agent.destroy());
  return {
    ended,
    longestReplyMs: () => longestReplyMs,
    stop() {
      stopped = true;
      return ended;
    },
  };
}

/** Chooses what is sent next. */
function createChooser({ ledger, random, createPlant }: LoadOptions): () => SentPlant {
  const unknown: Entry[] = [];
  for (const entry of [...ledger.entries.values()].slice(-recentCount).flat())
    if (!entry.acknowledged && !entry.taken && entry.unresolved > 0) unknown.push(entry);
  const recent: SentPlant[] = [...ledger.entries.values()]
    .slice(-recentCount)
    .flatMap(([first]) => first?.plant ?? []);
  return () => {
    const kind = random.next();
    // Half of what a crash left unknown stays so, since not every caller retries.
    if (kind < 0.15 && unknown.length > 0) {
      const entry = unknown.pop();
      if (entry !== undefined && random.next() < 0.5) return entry.plant;
    }
    if (kind > 0.95 && recent.length > 0) return random.pick(recent);
    if (kind > 0.9 && recent.length > 0) return createConflict(random.pick(recent), random);
    const plant = createPlant();
    if (recent.length < recentCount) recent.push(plant);
    else recent[random.below(recentCount)] = plant;
    return plant;
  };
}
