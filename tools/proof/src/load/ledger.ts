import type { Answer, Change, Operation, PossibleState, Request } from './history.js';
import { describeHistory, findPossibleStates } from './history.js';
import { type Identity, nameOf, type ShownRecord, toJson } from './records.js';

/**
 * The outcome of a failed request:
 * - `rejected`: it changed nothing
 * - `unavailable` and `damaged` (503 `database_unavailable` and `database_damaged`), and `no reply`: it is unknown whether it changed
 * something
 * - `unexpected`: the reply is not documented, or did not come within the time limit
 */
type Failure =
  | { readonly kind: 'rejected' | 'unavailable' | 'damaged' }
  | { readonly kind: 'no reply'; readonly code: string }
  | { readonly kind: 'unexpected'; readonly reply: string };

export type Outcome = Answer | Failure;

/** What callers know about an ID of a resource. */
interface Entry extends Identity {
  /** The possible states at the last check. Empty if no order explained the answers. */
  possibleStates: readonly PossibleState[];
  /** The operations since the last check. With followers, all operations; `checked` counts those already checked. */
  operations: Operation[];
  checked: number;
  /** The distinct writes that were sent, by their content as JSON. */
  readonly writes: Map<string, Request>;
  /** The fields of each acknowledged or shown state, as JSON. */
  readonly seen: Set<string>;
}

const nothing: PossibleState = { state: 'nothing', unanswered: [] };

/**
 * What callers know about the records that they sent: each request with its outcome. `check` finds contradictions between these. `note` and
 * `noteList` note a request, and return a function that notes the outcome.
 */
export class Ledger {
  /** What callers know about each ID that was sent, by the name of its record. */
  readonly entries = new Map<string, Entry>();
  /** Descriptions of replies that a correct service never sends. */
  readonly failures: string[] = [];
  /** How many replies acknowledged a write that must have been carried out. Includes replays. */
  acknowledgements = 0;
  /** When the last acknowledgement came. */
  acknowledgedAt = performance.now();
  /** The longest gap between two acknowledgements. Callers may reset it to 0. */
  longestGapMs = 0;
  /** How many records were shown by reads, updated, and created under the ID of a deleted record. */
  readonly replies = { shown: 0, updated: 0, 'ids reused': 0 };
  /** How many replies to writes were 503 `database_unavailable`. */
  unavailable = 0;
  /** How many writes got an error after which nothing was stored. */
  rejected = 0;
  /** How many writes were sent and got no reply. */
  missingReplies = 0;
  /** How many attempts to connect were refused. */
  refusedConnections = 0;
  /** Whether there are followers. Followers can receive earlier states later, so all operations are kept. */
  isFollowed = false;
  /** The tag of each content, and the content of each tag. */
  private readonly counterparts = new Map<string, string>();
  /** The number of the last event. */
  private lastEvent = 0;

  /**
   * Notes a request.
   *
   * @param after the `start` of the previous request for the same ID in the same batch
   */
  note(request: Request, after?: number): { readonly start: number; end(outcome: Outcome): void } {
    const start = ++this.lastEvent;
    const operation: Operation = { request, after, start, end: Number.POSITIVE_INFINITY };
    const entry = this.entryOf(request.record);
    entry.operations.push(operation);
    const write = toJson([request.action, request.action === 'delete' || request.record.fields]);
    const isFirst = !entry.writes.has(write);
    if (request.action !== 'read' && isFirst) entry.writes.set(write, request);
    const end = (outcome: Outcome) => {
      if (isAnswer(outcome)) {
        for (const { fields } of [
          ...(outcome.kind === 'stored' ? [request.record] : []),
          ...(outcome.records ?? []),
        ])
          entry.seen.add(toJson(request.record.resource.pick(fields)));
        Object.assign(operation, { answer: outcome, end: ++this.lastEvent });
        this.acknowledge(request, outcome, isFirst);
        return;
      }
      this.countFailure(outcome, request);
      if (hadNoEffect(outcome, request))
        entry.operations = entry.operations.filter((other) => other !== operation);
    };
    return { start, end };
  }

  /** Notes a request for a list of records. */
  noteList(): (outcome: Outcome) => void {
    const start = ++this.lastEvent;
    return (outcome) => {
      if (outcome.kind === 'unexpected') this.failures.push(`a list: ${outcome.reply}`);
      if (!('records' in outcome)) return;
      const end = ++this.lastEvent;
      for (const record of outcome.records ?? []) {
        this.replies.shown++;
        const answer = { kind: 'shown', records: [record] } as const;
        this.entryOf(record).operations.push({ request: { action: 'read', record }, start, end, answer });
      }
    };
  }

  /**
   * Notes the changes that a follower receives. Each change shows some past state of the ID. For one follower, later changes show later
   * states.
   */
  noteFollower(): (change: Change) => void {
    this.isFollowed = true;
    const latest = new Map<string, number>();
    return (change) => {
      const { kind, resource, id, record } = change;
      const name = nameOf(change);
      const end = ++this.lastEvent;
      const request = { action: 'follow', record: { resource, id, fields: {} } } as const;
      const answer = { kind, records: record === undefined ? [] : [record] };
      if (record !== undefined) this.entryOf(change).seen.add(toJson(resource.pick(record.fields)));
      // A negative start allows the change anywhere in the past.
      const start = -end;
      this.entryOf(change).operations.push({ request, start, end, after: latest.get(name), answer });
      latest.set(name, start);
    };
  }

  /**
   * Checks that some order explains all answers about an ID, and adds a failure if none does. No request for the ID may be in flight.
   *
   * @returns whether there is such an order
   */
  check(identity: Identity): boolean {
    const entry = this.entryOf(identity);
    const { operations } = entry;
    const before = this.isFollowed ? [nothing] : entry.possibleStates;
    if (operations.length > entry.checked) entry.possibleStates = findPossibleStates(before, operations);
    if (entry.possibleStates.length === 0 && operations.length > 0)
      this.failures.push(`${nameOf(identity)}: no order explains\n${describeHistory(before, operations)}`);
    if (this.isFollowed) entry.checked = operations.length;
    else entry.operations = [];
    return entry.possibleStates.length > 0;
  }

  /** Returns the entry of an ID. Adds one if there is none. */
  entryOf({ resource, id }: Identity): Entry {
    const name = nameOf({ resource, id });
    const entry = this.entries.get(name) ?? {
      resource,
      id,
      possibleStates: [nothing],
      operations: [],
      checked: 0,
      writes: new Map(),
      seen: new Set<string>(),
    };
    this.entries.set(name, entry);
    return entry;
  }

  /** Counts an answer, and checks its entity tags. */
  private acknowledge({ action }: Request, { kind, records = [] }: Answer, isFirst: boolean): void {
    for (const record of records) this.checkTag(record);
    if (action === 'read') this.replies.shown += records.length;
    if (action === 'update') this.replies.updated += records.length;
    if (action === 'reuseId') this.replies['ids reused'] += records.length;
    const isDone = action !== 'read' && ['stored', 'replayed', 'deleted', 'shown'].includes(kind);
    // An earlier identical request might have made this change, so this reply proves nothing new.
    if (!isDone || (!isFirst && ['delete', 'update'].includes(action))) return;
    const now = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, now - this.acknowledgedAt);
    this.acknowledgedAt = now;
    this.acknowledgements++;
  }

  /** Checks that two states of a record have the same entity tag if and only if they are equal. */
  private checkTag(record: ShownRecord): void {
    const content = toJson([nameOf(record), record.addedAt, record.fields]);
    const tag = `${nameOf(record)} ${record.etag}`;
    for (const [key, value] of Object.entries({ [content]: tag, [tag]: content })) {
      const previous = this.counterparts.get(key) ?? value;
      if (previous !== value) this.failures.push(`${key} goes with ${previous} and with ${value}`);
      this.counterparts.set(key, value);
    }
  }

  private countFailure(outcome: Failure, { action, record }: Request): void {
    if (outcome.kind === 'damaged') this.failures.push(`${action} of ${nameOf(record)}: database_damaged`);
    if (outcome.kind === 'unexpected') this.failures.push(`${action} of ${nameOf(record)}: ${outcome.reply}`);
    if (action === 'read') return;
    if (outcome.kind === 'rejected') this.rejected++;
    if (outcome.kind === 'unavailable') this.unavailable++;
    if (isRefused(outcome)) this.refusedConnections++;
    else if (outcome.kind === 'no reply') this.missingReplies++;
  }
}

const failureKinds: Readonly<Record<Failure['kind'], true>> = {
  rejected: true,
  unavailable: true,
  damaged: true,
  'no reply': true,
  unexpected: true,
};

function isAnswer(outcome: Outcome): outcome is Answer {
  return !Object.hasOwn(failureKinds, outcome.kind);
}

/** Whether the connection was refused, so that nothing was sent. */
function isRefused(outcome: Failure): boolean {
  return outcome.kind === 'no reply' && outcome.code === 'ECONNREFUSED';
}

/** Whether a failed request has certainly changed nothing. */
function hadNoEffect(outcome: Failure, request: Request): boolean {
  return request.action === 'read' || outcome.kind === 'rejected' || isRefused(outcome);
}
