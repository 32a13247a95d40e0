import { hasSameFields } from '@plant-store/contract/fields';
import type { NewPlant } from '@plant-store/contract/operations';
import { describePlant } from './plants.js';

/**
 * What a caller knows after a request that failed. `rejected`: it changed nothing. `unavailable` and `damaged` (503
 * `database_unavailable` and `database_damaged`) and `no reply`: nobody knows. `unexpected`: a reply that is not documented, or none
 * within the time limit.
 */
export type Failure =
  | { readonly kind: 'rejected' | 'unavailable' | 'damaged' }
  | { readonly kind: 'no reply'; readonly code: string }
  | { readonly kind: 'unexpected'; readonly reply: string };

/** What a caller knows after a create. `retired`: the plant with its id was deleted. */
export type CreateOutcome = { readonly kind: 'stored' | 'replayed' | 'taken' | 'retired' } | Failure;
export type DeleteOutcome = { readonly kind: 'deleted' | 'not found' } | Failure;
export type ReadOutcome =
  | { readonly kind: 'shown'; readonly plants: readonly NewPlant[] }
  | { readonly kind: 'not found' }
  | Failure;

/** A plant that was sent, once or more often, and what is known about it. */
export interface Entry {
  readonly plant: NewPlant;
  /** How often it was sent. */
  attempts: number;
  /** Attempts that may have stored it: those in flight, and those after which nobody knows. */
  unresolved: number;
  acknowledged: boolean;
  /** How many replies reported that it was stored, rather than there already. */
  stored: number;
  /** Whether a reply reported that another plant has its id. */
  taken: boolean;
}

/** What is known of an id: that nothing has it, a plant, or a deleted plant. It goes that way once. */
export interface Known {
  readonly id: bigint;
  /** The plants that were sent under it: one, or several that conflict. */
  readonly entries: Entry[];
  /** Deletes that may have erased the plant: those in flight, and those after which nobody knows. */
  deletes: number;
  /** How many plants were known to be deleted before this one: no read may show it any more, and no create may store it. */
  deletedAt?: number;
}

/**
 * What callers know about the plants that they sent: what was acknowledged, what was deleted, and what is unknown. It compares
 * each reply with those before it, and keeps all contradictions. What notes a request returns what notes its outcome.
 */
export class Ledger {
  /** What is known of each id that was sent. */
  readonly known = new Map<bigint, Known>();
  /** Replies that no correct service gives. */
  readonly failures: string[] = [];
  /** How many replies acknowledged a plant, replays included, or a delete that must have erased one. */
  acknowledgements = 0;
  /** When the last of them came, and the longest time between two since it was last set to 0, in milliseconds. */
  acknowledgedAt = performance.now();
  longestGapMs = 0;
  /** How many plants were shown by reads. */
  shown = 0;
  /** How many replies were 503 `database_unavailable`. */
  unavailable = 0;
  /** How many replies were an error after which nothing was stored. */
  rejected = 0;
  /** How many creates and deletes were sent and had no reply. */
  missingReplies = 0;
  /** How many attempts to connect were refused. */
  refusedConnections = 0;
  private deleted = 0;

  create(plant: NewPlant): (outcome: CreateOutcome) => void {
    const known = this.knownOf(plant.id);
    const entry = entryOf(known, plant) ?? addEntry(known, plant);
    entry.attempts++;
    entry.unresolved++;
    const isLate = known.deletedAt !== undefined;
    return (outcome) => {
      const { kind } = outcome;
      if (isLate && (kind === 'stored' || kind === 'replayed' || kind === 'taken'))
        this.fail(plant, `${kind} after it was deleted`);
      if (this.isResolved(outcome, describePlant(plant))) entry.unresolved--;
      if (kind === 'stored' || kind === 'replayed') this.acknowledge(known, entry, kind);
      if (kind === 'retired') this.retire(known, 'id_retired');
      if (kind !== 'taken') return;
      entry.taken = true;
      if (entry.acknowledged) this.fail(plant, 'id_taken after it was acknowledged');
      if (known.entries.length === 1) this.fail(plant, 'id_taken, though no other plant was sent');
    };
  }

  delete(id: bigint): (outcome: DeleteOutcome) => void {
    const known = this.knownOf(id);
    known.deletes++;
    const isOfPlant =
      known.deletedAt !== undefined || known.entries.some(({ acknowledged, taken }) => acknowledged || taken);
    return (outcome) => {
      if (outcome.kind === 'deleted') {
        // Otherwise another delete may have erased it, so that this one need not have stored anything.
        if (known.deletedAt === undefined && known.deletes === 1) this.noteAcknowledgement();
        this.retire(known, 'deleted');
        if (!known.entries.some(({ acknowledged, unresolved }) => acknowledged || unresolved > 0))
          this.failures.push(`plant ${id}: deleted, though none was stored`);
      }
      if (outcome.kind === 'not found' && isOfPlant)
        this.failures.push(`plant ${id}: not found by a delete, though there was one before`);
      if (this.isResolved(outcome, `delete of ${id}`)) known.deletes--;
    };
  }

  /**
   * What a read has shown must stay from then on until it is deleted, as if it had been acknowledged. That a plant is missing means
   * that it was deleted for good.
   *
   * @param id of the plant that it asks for; `undefined` for a list
   */
  read(id?: bigint): (outcome: ReadOutcome) => void {
    const known = id === undefined ? undefined : this.known.get(id);
    const wasAcknowledged = known?.entries.some(({ acknowledged }) => acknowledged) ?? false;
    const deletedBefore = this.deleted;
    return (outcome) => {
      if (outcome.kind === 'shown') for (const plant of outcome.plants) this.show(plant, deletedBefore);
      if (outcome.kind === 'not found' && known && wasAcknowledged) this.retire(known, 'not found');
      if (outcome.kind === 'unexpected') this.failures.push(`a read: ${outcome.reply}`);
    };
  }

  private knownOf(id: bigint): Known {
    const known = this.known.get(id) ?? { id, entries: [], deletes: 0 };
    this.known.set(id, known);
    return known;
  }

  private acknowledge(known: Known, entry: Entry, kind: 'stored' | 'replayed'): void {
    this.noteAcknowledgement();
    entry.acknowledged = true;
    if (kind === 'stored' && ++entry.stored > 1) this.fail(entry.plant, 'stored twice');
    if (kind === 'replayed' && entry.attempts === 1)
      this.fail(entry.plant, 'replayed, though it was sent once');
    if (entry.taken) this.fail(entry.plant, 'acknowledged after id_taken');
    if (known.entries.some((other) => other !== entry && other.acknowledged))
      this.fail(entry.plant, 'acknowledged, and so was another plant of the same id');
  }

  private noteAcknowledgement(): void {
    const now = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, now - this.acknowledgedAt);
    this.acknowledgedAt = now;
    this.acknowledgements++;
  }

  private show(plant: NewPlant, deletedBefore: number): void {
    this.shown++;
    const known = this.known.get(plant.id);
    const entry = known && entryOf(known, plant);
    if (entry === undefined) {
      this.fail(plant, 'shown, though it was never sent');
      return;
    }
    entry.acknowledged = true;
    if (known?.entries.some((other) => other !== entry && other.acknowledged))
      this.fail(plant, 'shown, and another plant of the same id was acknowledged');
    if ((known?.deletedAt ?? deletedBefore) < deletedBefore) this.fail(plant, 'shown after it was deleted');
  }

  /** Notes that a plant is deleted, as a reply has shown: for good, whatever becomes of the deletes that have no reply. */
  private retire(known: Known, reply: string): void {
    if (known.deletedAt !== undefined) return;
    if (known.deletes === 0)
      this.failures.push(`plant ${known.id}: ${reply}, though no delete was sent that could have erased it`);
    known.deletedAt = this.deleted++;
  }

  /** Counts an outcome that shows nothing of the plant. Returns whether it is known what the request has changed, if anything. */
  private isResolved(outcome: CreateOutcome | DeleteOutcome, what: string): boolean {
    switch (outcome.kind) {
      case 'unavailable':
        this.unavailable++;
        return false;
      case 'damaged':
        this.failures.push(`${what}: database_damaged`);
        return false;
      case 'unexpected':
        this.failures.push(`${what}: ${outcome.reply}`);
        return false;
      case 'no reply':
        if (outcome.code !== 'ECONNREFUSED') {
          this.missingReplies++;
          return false;
        }
        // Such an attempt has sent nothing.
        this.refusedConnections++;
        return true;
      case 'rejected':
        this.rejected++;
        return true;
      default:
        return true;
    }
  }

  private fail(plant: NewPlant, what: string): void {
    this.failures.push(`${describePlant(plant)}: ${what}`);
  }
}

function entryOf({ entries }: Known, plant: NewPlant): Entry | undefined {
  return entries.find((entry) => hasSameFields(entry.plant, plant));
}

function addEntry({ entries }: Known, plant: NewPlant): Entry {
  const entry = { plant, attempts: 0, unresolved: 0, acknowledged: false, stored: 0, taken: false };
  entries.push(entry);
  return entry;
}
