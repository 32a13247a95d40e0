import type { Answer, Change, Operation, Possible, Request } from './history.js';
import { describeHistory, explain } from './history.js';
import { type Identity, nameOf, type Shown, toJson } from './records.js';

/**
 * What a caller knows after a failed request. `rejected`: it changed nothing. `unavailable` and `damaged` (503 `database_unavailable` and
 * `database_damaged`) and `no reply`: the outcome is unknown. `unexpected`: an undocumented reply, or none within the time limit.
 */
type Failure =
  | { readonly kind: 'rejected' | 'unavailable' | 'damaged' }
  | { readonly kind: 'no reply'; readonly code: string }
  | { readonly kind: 'unexpected'; readonly reply: string };

export type Outcome = Answer | Failure;

/** What is known about an id of a resource. */
interface Known extends Identity {
  /** Its possible states at the last check; none if no order explained the answers. */
  possible: readonly Possible[];
  /** The operations since then; or all of them, and how many were checked. */
  operations: Operation[];
  checked: number;
  /** The distinct changes that were sent. */
  readonly changes: Map<string, Request>;
  /** The fields with which it was acknowledged or shown, as JSON. */
  readonly seen: Set<string>;
}

const nothing: Possible = { state: 'nothing', unanswered: [] };

/**
 * What callers know about the records that they sent: each request with its outcome. `check` finds contradictions between them. The method
 * that notes a request returns a function that notes its outcome.
 */
export class Ledger {
  /** What is known about each id that was sent, by the name of its record. */
  readonly known = new Map<string, Known>();
  /** Replies that a correct service never sends. */
  readonly failures: string[] = [];
  /** How many replies acknowledged a record, including replays, or another change that must have been made. */
  acknowledgements = 0;
  /** When the last acknowledgement came, and the longest gap between two since it was last reset to 0, in milliseconds. */
  acknowledgedAt = performance.now();
  longestGapMs = 0;
  /** How many records were shown by reads, updated, and created under the id of a deleted one. */
  readonly replies = { shown: 0, updated: 0, 'ids reused': 0 };
  /** How many replies were 503 `database_unavailable`. */
  unavailable = 0;
  /** How many replies were errors that stored nothing. */
  rejected = 0;
  /** How many creates, updates and deletes were sent and had no reply. */
  missingReplies = 0;
  /** How many attempts to connect were refused. */
  refusedConnections = 0;
  /** Whether followers may receive earlier states later, so that operations are kept. */
  isFollowed = false;
  private readonly tags = new Map<string, string>();
  private time = 0;

  /** @param after the start of the preceding request of the same batch */
  note(request: Request, after?: number): { readonly start: number; end(outcome: Outcome): void } {
    const start = ++this.time;
    const operation: Operation = { request, after, start, end: Number.POSITIVE_INFINITY };
    const known = this.knownOf(request.record);
    known.operations.push(operation);
    const change = toJson([request.do, request.do === 'delete' || request.record.fields]);
    const isFirst = !known.changes.has(change);
    if (request.do !== 'read' && isFirst) known.changes.set(change, request);
    const end = (outcome: Outcome) => {
      if (isAnswer(outcome)) {
        for (const { fields } of [
          ...(outcome.kind === 'stored' ? [request.record] : []),
          ...(outcome.records ?? []),
        ])
          known.seen.add(toJson(request.record.resource.pick(fields)));
        Object.assign(operation, { answer: outcome, end: ++this.time });
        this.acknowledge(request, outcome, isFirst);
      } else if (this.hasChangedNothing(outcome, request))
        known.operations = known.operations.filter((other) => other !== operation);
    };
    return { start, end };
  }

  /** Notes a list, which shows some records. */
  noteList(): (outcome: Outcome) => void {
    const start = ++this.time;
    return (outcome) => {
      if (outcome.kind === 'unexpected') this.failures.push(`a list: ${outcome.reply}`);
      if (!('records' in outcome)) return;
      const end = ++this.time;
      for (const record of outcome.records ?? []) {
        this.replies.shown++;
        const answer = { kind: 'shown', records: [record] } as const;
        this.knownOf(record).operations.push({ request: { do: 'read', record }, start, end, answer });
      }
    };
  }

  /**
   * Notes the changes that a follower receives. Each shows an earlier state of the id, which is later than that of the follower's previous
   * change.
   */
  noteFollower(): (change: Change) => void {
    this.isFollowed = true;
    const latest = new Map<string, number>();
    return (change) => {
      const { kind, resource, id, record } = change;
      const name = nameOf(change);
      const end = ++this.time;
      const request = { do: 'follow', record: { resource, id, fields: {} } } as const;
      const answer = { kind, records: record === undefined ? [] : [record] };
      if (record !== undefined) this.knownOf(change).seen.add(toJson(resource.pick(record.fields)));
      this.knownOf(change).operations.push({ request, start: -end, end, after: latest.get(name), answer });
      latest.set(name, -end);
    };
  }

  /** Whether some order explains all answers about an id; notes a failure if none does. No request for the id may be in flight. */
  check(identity: Identity): boolean {
    const known = this.knownOf(identity);
    const { operations } = known;
    const before = this.isFollowed ? [nothing] : known.possible;
    if (operations.length > known.checked) known.possible = explain(before, operations);
    if (known.possible.length === 0 && operations.length > 0)
      this.failures.push(`${nameOf(identity)}: no order explains\n${describeHistory(before, operations)}`);
    if (this.isFollowed) known.checked = operations.length;
    else known.operations = [];
    return known.possible.length > 0;
  }

  knownOf({ resource, id }: Identity): Known {
    const name = nameOf({ resource, id });
    const known = this.known.get(name) ?? {
      resource,
      id,
      possible: [nothing],
      operations: [],
      checked: 0,
      changes: new Map(),
      seen: new Set<string>(),
    };
    this.known.set(name, known);
    return known;
  }

  private acknowledge({ do: what }: Request, { kind, records = [] }: Answer, isFirst: boolean): void {
    for (const record of records) this.checkTag(record);
    if (what === 'read') this.replies.shown += records.length;
    if (what === 'update') this.replies.updated += records.length;
    if (what === 'reuseId') this.replies['ids reused'] += records.length;
    const isDone = what !== 'read' && ['stored', 'replayed', 'deleted', 'shown'].includes(kind);
    // Otherwise another request may have made the change, so this one need not have stored anything.
    if (!isDone || (!isFirst && ['delete', 'update'].includes(what))) return;
    const now = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, now - this.acknowledgedAt);
    this.acknowledgedAt = now;
    this.acknowledgements++;
  }

  /** Two states of a record have the same entity tag if and only if they are the same. */
  private checkTag(record: Shown): void {
    const content = toJson([nameOf(record), record.addedAt, record.fields]);
    const tag = `${nameOf(record)} ${record.etag}`;
    for (const [one, other] of Object.entries({ [content]: tag, [tag]: content })) {
      const before = this.tags.get(one) ?? other;
      if (before !== other) this.failures.push(`${one} goes with ${before} and with ${other}`);
      this.tags.set(one, other);
    }
  }

  /** Counts an outcome without a record. Returns whether the request has certainly changed nothing. */
  private hasChangedNothing(outcome: Failure, { do: what, record }: Request): boolean {
    if (outcome.kind === 'damaged') this.failures.push(`${what} of ${nameOf(record)}: database_damaged`);
    if (outcome.kind === 'unexpected') this.failures.push(`${what} of ${nameOf(record)}: ${outcome.reply}`);
    if (what === 'read') return true;
    if (outcome.kind === 'rejected') this.rejected++;
    if (outcome.kind === 'unavailable') this.unavailable++;
    // A refused connection has sent nothing.
    const isRefused = outcome.kind === 'no reply' && outcome.code === 'ECONNREFUSED';
    if (isRefused) this.refusedConnections++;
    else if (outcome.kind === 'no reply') this.missingReplies++;
    return isRefused || outcome.kind === 'rejected';
  }
}

function isAnswer(outcome: Outcome): outcome is Answer {
  return !['rejected', 'unavailable', 'damaged', 'no reply', 'unexpected'].includes(outcome.kind);
}
