import type { SentPlant } from './random-plants.js';
import type { Outcome } from './send-create.js';

/** A plant that was sent, once or more often, and what is known about it. */
export interface Entry {
  readonly plant: SentPlant;
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

/**
 * What callers know about the plants that they sent: what was acknowledged, and what is unknown. It compares each reply with
 * those before it, and keeps all contradictions.
 */
export class Ledger {
  /** All plants that were sent, by id: one each, or several that conflict. */
  readonly entries = new Map<bigint, Entry[]>();
  /** Replies that no correct service gives. */
  readonly failures: string[] = [];
  /** How many replies acknowledged a plant, replays included. */
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
  private touched = new Set<bigint>();

  /** Notes that a plant is being sent; `end` with the returned entry notes the outcome. */
  begin(plant: SentPlant): Entry {
    const entries = this.entries.get(plant.id) ?? [];
    if (entries.length === 0) this.entries.set(plant.id, entries);
    let entry = entries.find((other) => isSame(other.plant, plant));
    if (entry === undefined) {
      entry = { plant, attempts: 0, unresolved: 0, acknowledged: false, stored: 0, taken: false };
      entries.push(entry);
    }
    entry.attempts++;
    entry.unresolved++;
    this.touched.add(plant.id);
    return entry;
  }

  end(entry: Entry, outcome: Outcome): void {
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
      case 'rejected':
        this.rejected++;
        entry.unresolved--;
        return;
      case 'unavailable':
        this.unavailable++;
        return;
      case 'damaged':
        this.fail(entry, 'database_damaged');
        return;
      case 'unexpected':
        this.fail(entry, outcome.reply);
        return;
      case 'no reply':
        // Such an attempt has sent nothing.
        if (outcome.code === 'ECONNREFUSED') {
          entry.unresolved--;
          this.refusedConnections++;
        } else this.missingReplies++;
        return;
    }
  }

  /** Notes that a read showed a plant: it must stay from then on, as if it had been acknowledged. */
  show(plant: SentPlant): void {
    this.shown++;
    const entries = this.entries.get(plant.id) ?? [];
    const entry = entries.find((other) => isSame(other.plant, plant));
    if (entry === undefined) {
      this.failures.push(`${describePlant(plant)}: shown, though it was never sent`);
      return;
    }
    entry.acknowledged = true;
    this.touched.add(plant.id);
    if (this.othersOf(entry).some(({ acknowledged }) => acknowledged))
      this.fail(entry, 'shown, and another plant of the same id was acknowledged');
  }

  /** Notes that a read after the acknowledgement of a plant did not show it. */
  miss(entry: Entry): void {
    this.fail(entry, 'not found, though it was acknowledged before');
  }

  /** Notes a reply to a read that is not documented. */
  failRead(problem: string): void {
    this.failures.push(`a read: ${problem}`);
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

  private othersOf(entry: Entry): readonly Entry[] {
    return (this.entries.get(entry.plant.id) ?? []).filter((other) => other !== entry);
  }

  private fail({ plant }: Entry, what: string): void {
    this.failures.push(`${describePlant(plant)}: ${what}`);
  }
}

/** A plant for a message, shortened. */
export function describePlant({ id, name, tag }: SentPlant): string {
  const text = JSON.stringify({ name, tag });
  return `plant ${id} ${text.length > 100 ? `${text.slice(0, 100)}…` : text}`;
}

/** Whether both are the same plant. No tag and an empty one are different. */
export function isSame(one: SentPlant, other: SentPlant): boolean {
  return one.id === other.id && one.name === other.name && one.tag === other.tag;
}
