import { fieldsOf, hasSameFields } from '@plant-store/contract/fields';
import type { NewPlant } from '@plant-store/contract/operations';
import type { DeleteOutcome, Failure, Outcome } from './send-create.js';

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

/** A create that was sent. */
export interface CreateAttempt {
  readonly entry: Entry;
  /** Whether the plant of its id was known to be deleted when it was sent. */
  readonly isLate: boolean;
}

/** A delete that was sent. */
export interface DeleteAttempt {
  readonly id: bigint;
  /** Whether a plant was known to have had the id when it was sent. */
  readonly isOfPlant: boolean;
}

/** What was known when a read was sent. */
export interface ReadAttempt {
  /** How many ids were known to be those of deleted plants. */
  readonly retired: number;
  /** The plant that it must show unless it was deleted, if it asks for one that was acknowledged. */
  readonly entry?: Entry | undefined;
}

/**
 * What callers know about the plants that they sent: what was acknowledged, what was deleted, and what is unknown. It compares
 * each reply with those before it, and keeps all contradictions.
 */
export class Ledger {
  /** All plants that were sent, by id: one each, or several that conflict. */
  readonly entries = new Map<bigint, Entry[]>();
  /** The ids of which deletes were sent, each with how many of them may have erased the plant: in flight, or of unknown outcome. */
  readonly deletes = new Map<bigint, number>();
  /** Replies that no correct service gives. */
  readonly failures: string[] = [];
  /** How many replies acknowledged a plant, replays included, or a delete that must have erased one. */
  acknowledgements = 0;
  /** How many plants were shown by reads. */
  shown = 0;
  /** How many replies were 503 `database_unavailable`. */
  unavailable = 0;
  /** How many replies were an error after which nothing was stored. */
  rejected = 0;
  /** How many requests were sent and had no reply. */
  missingReplies = 0;
  /** How many attempts to connect were refused. */
  refusedConnections = 0;
  /** The ids of plants that are known to be deleted, each with how many were known before it. */
  private readonly retired = new Map<bigint, number>();
  private touched = new Set<bigint>();

  /** Notes that a plant is being sent; `end` with what it returns notes the outcome. */
  begin(plant: NewPlant): CreateAttempt {
    const entries = this.entriesOf(plant.id);
    if (entries.length === 0) this.entries.set(plant.id, entries);
    let entry = entries.find((other) => hasSameFields(other.plant, plant));
    if (entry === undefined) {
      entry = { plant, attempts: 0, unresolved: 0, acknowledged: false, stored: 0, taken: false };
      entries.push(entry);
    }
    entry.attempts++;
    entry.unresolved++;
    this.touched.add(plant.id);
    return { entry, isLate: this.isRetired(plant.id) };
  }

  end({ entry, isLate }: CreateAttempt, outcome: Outcome): void {
    if (isLate && ['stored', 'replayed', 'taken'].includes(outcome.kind))
      this.fail(entry, `${outcome.kind} after it was deleted`);
    switch (outcome.kind) {
      case 'stored':
      case 'replayed':
        this.acknowledge(entry, outcome.kind === 'replayed');
        return;
      case 'taken':
        entry.unresolved--;
        entry.taken = true;
        if (entry.acknowledged) this.fail(entry, 'id_taken after it was acknowledged');
        if (this.othersOf(entry).length === 0) this.fail(entry, 'id_taken, though no other plant was sent');
        return;
      case 'retired':
        entry.unresolved--;
        this.retire(entry.plant.id, 'id_retired');
        return;
      default:
        if (this.endWithoutResult(outcome, describePlant(entry.plant))) entry.unresolved--;
    }
  }

  /** Notes that a delete is being sent; `endDelete` with what it returns notes the outcome. */
  beginDelete(id: bigint): DeleteAttempt {
    this.deletes.set(id, this.unresolvedDeletes(id) + 1);
    this.touched.add(id);
    const isOfPlant = this.entriesOf(id).some(({ acknowledged, taken }) => acknowledged || taken);
    return { id, isOfPlant: isOfPlant || this.isRetired(id) };
  }

  endDelete({ id, isOfPlant }: DeleteAttempt, outcome: DeleteOutcome): void {
    switch (outcome.kind) {
      case 'deleted':
        // Otherwise another delete may have erased it, so that this one need not have stored anything.
        if (!this.isRetired(id) && this.unresolvedDeletes(id) === 1) this.acknowledgements++;
        this.retire(id, 'deleted');
        this.resolveDelete(id);
        if (!this.entriesOf(id).some(({ acknowledged, unresolved }) => acknowledged || unresolved > 0))
          this.failures.push(`plant ${id}: deleted, though none was stored`);
        return;
      case 'not found':
        this.resolveDelete(id);
        if (isOfPlant) this.failures.push(`plant ${id}: not found by a delete, though there was one before`);
        return;
      default:
        if (this.endWithoutResult(outcome, `delete of ${id}`)) this.resolveDelete(id);
    }
  }

  /**
   * Notes that a read is being sent; `endRead` with what it returns notes what it shows.
   *
   * @param id of the plant that it asks for; `undefined` for a list
   */
  beginRead(id?: bigint): ReadAttempt {
    const entry = id === undefined ? undefined : this.entriesOf(id).find(({ acknowledged }) => acknowledged);
    return { entry, retired: this.retired.size };
  }

  /**
   * Notes what a read has shown: from then on it must stay until it is deleted, as if it had been acknowledged. That a plant is
   * missing means that it was deleted for good.
   */
  endRead({ entry, retired }: ReadAttempt, plants: readonly NewPlant[]): void {
    for (const plant of plants) this.show(plant, retired);
    if (entry !== undefined && plants.length === 0) this.retire(entry.plant.id, 'not found');
  }

  /** Notes a reply to a read that is not documented. */
  failRead(problem: string): void {
    this.failures.push(`a read: ${problem}`);
  }

  /** Whether the plant of an id is known to be deleted: no read may show it any more, and no create may store it. */
  isRetired(id: bigint): boolean {
    return this.retired.has(id);
  }

  /** How many deletes of an id may have erased the plant: those in flight, and those after which nobody knows. */
  unresolvedDeletes(id: bigint): number {
    return this.deletes.get(id) ?? 0;
  }

  /** The ids that were sent since the last call. */
  takeTouchedIds(): readonly bigint[] {
    const ids = [...this.touched];
    this.touched = new Set();
    return ids;
  }

  private acknowledge(entry: Entry, replayed: boolean): void {
    this.acknowledgements++;
    entry.unresolved--;
    entry.acknowledged = true;
    if (!replayed && ++entry.stored > 1) this.fail(entry, 'stored twice');
    if (replayed && entry.attempts === 1) this.fail(entry, 'replayed, though it was sent once');
    if (entry.taken) this.fail(entry, 'acknowledged after id_taken');
    if (this.othersOf(entry).some(({ acknowledged }) => acknowledged))
      this.fail(entry, 'acknowledged, and so was another plant of the same id');
  }

  private show(plant: NewPlant, retired: number): void {
    this.shown++;
    const entry = this.entriesOf(plant.id).find((other) => hasSameFields(other.plant, plant));
    if (entry === undefined) {
      this.failures.push(`${describePlant(plant)}: shown, though it was never sent`);
      return;
    }
    entry.acknowledged = true;
    this.touched.add(plant.id);
    if (this.othersOf(entry).some(({ acknowledged }) => acknowledged))
      this.fail(entry, 'shown, and another plant of the same id was acknowledged');
    if ((this.retired.get(plant.id) ?? retired) < retired) this.fail(entry, 'shown after it was deleted');
  }

  /** Notes that a plant is deleted, as a reply has shown: for good, whatever becomes of the deletes that have no reply. */
  private retire(id: bigint, reply: string): void {
    if (this.isRetired(id)) return;
    if (this.unresolvedDeletes(id) === 0)
      this.failures.push(`plant ${id}: ${reply}, though no delete was sent that could have erased it`);
    this.retired.set(id, this.retired.size);
  }

  private resolveDelete(id: bigint): void {
    this.deletes.set(id, this.unresolvedDeletes(id) - 1);
  }

  /** Notes an outcome that shows nothing of the plant; returns whether the request is known to have changed nothing. */
  private endWithoutResult(outcome: Failure, what: string): boolean {
    switch (outcome.kind) {
      case 'rejected':
        this.rejected++;
        return true;
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
    }
  }

  private entriesOf(id: bigint): Entry[] {
    return this.entries.get(id) ?? [];
  }

  private othersOf(entry: Entry): readonly Entry[] {
    return this.entriesOf(entry.plant.id).filter((other) => other !== entry);
  }

  private fail({ plant }: Entry, what: string): void {
    this.failures.push(`${describePlant(plant)}: ${what}`);
  }
}

/** A plant for a message, shortened. */
export function describePlant(plant: NewPlant): string {
  const text = JSON.stringify(fieldsOf(plant));
  return `plant ${plant.id} ${text.length > 100 ? `${text.slice(0, 100)}…` : text}`;
}
