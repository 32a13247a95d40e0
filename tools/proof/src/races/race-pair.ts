import { setTimeout as delay } from 'node:timers/promises';
import type { NewPlant } from '@plant-store/contract/operations';
import type { Ledger } from '../load/ledger.js';
import type { Random } from '../load/random.js';
import {
  type Caller,
  type DeleteOutcome,
  type Outcome,
  sendBatch,
  sendCreate,
  sendDelete,
  sendRead,
} from '../load/send-create.js';
import { explainReplies, type State } from './explain-replies.js';

/** Only a reply that hangs takes this long, even on a busy machine. */
const timeoutMs = 60_000;

/**
 * Pairs of a create and a delete, whose ids have the same before. The one that comes first more often is sent later, so that both
 * do so about as often.
 */
export class Pairs {
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

/** How a pair is sent. */
export interface PairOptions {
  readonly pairs: Pairs;
  readonly ledger: Ledger;
  readonly random: Random;
  /** Two connections, to one service or to two that have the same database. */
  readonly creating: Caller;
  readonly deleting: Caller;
}

/**
 * Sends a create and a delete of a plant at the same moment, and then reads and creates it again; one that is there before is read
 * before, too. The create comes alone or twice in a batch.
 *
 * @returns what no order of them explains; the ledger has what contradicts other replies
 */
export async function racePair(plant: NewPlant, options: PairOptions): Promise<string | undefined> {
  const { pairs, ledger, random, creating, deleting } = options;
  const before = pairs.before === 'nothing' ? [] : await create(ledger, creating, [plant]);
  if (pairs.before === 'a plant') await read(ledger, deleting, plant.id);
  const { createMs, deleteMs } = pairs.waits(random);
  const [created, deleted] = await Promise.all([
    wait(createMs).then(() => create(ledger, creating, random.next() < 0.25 ? [plant, plant] : [plant])),
    wait(deleteMs).then(() => remove(ledger, deleting, plant.id)),
  ]);
  const order = explainReplies(pairs.before, created, deleted);
  if (order !== undefined) pairs.note(order.first);
  const [reading, retrying] = random.next() < 0.5 ? [creating, deleting] : [deleting, creating];
  await read(ledger, reading, plant.id);
  const retried = await create(ledger, retrying, [plant]);
  const isExplained = retried[0] === (order?.after === 'a plant' ? 'replayed' : 'retired');
  if (order !== undefined && isExplained) return undefined;
  return `plant ${plant.id}: create ${[...before, ...created].join(', ')}; delete ${deleted}; create again ${retried}`;
}

async function wait(ms: number): Promise<void> {
  if (ms > 0) await delay(ms);
}

async function create(
  ledger: Ledger,
  caller: Caller,
  plants: readonly [NewPlant, ...NewPlant[]],
): Promise<readonly Outcome['kind'][]> {
  const attempts = plants.map((plant) => ledger.begin(plant));
  const outcomes =
    plants.length === 1
      ? [await sendCreate(caller, plants[0], timeoutMs)]
      : await sendBatch(caller, plants, timeoutMs);
  return attempts.flatMap((attempt, index) => {
    const outcome = outcomes[index];
    if (outcome === undefined) return [];
    ledger.end(attempt, outcome);
    return outcome.kind;
  });
}

async function remove(ledger: Ledger, caller: Caller, id: bigint): Promise<DeleteOutcome['kind']> {
  const attempt = ledger.beginDelete(id);
  const outcome = await sendDelete(caller, id, timeoutMs);
  ledger.endDelete(attempt, outcome);
  return outcome.kind;
}

async function read(ledger: Ledger, caller: Caller, id: bigint): Promise<void> {
  const attempt = ledger.beginRead(id);
  const shown = await sendRead(caller, `/plants/${id}`, timeoutMs);
  if (shown === undefined || shown.problem !== undefined) ledger.failRead(shown?.problem ?? 'no reply');
  else ledger.endRead(attempt, shown.plants);
}
