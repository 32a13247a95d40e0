import { type Fields, type Identity, type NewRecord, type ShownRecord, toJson } from './records.js';

/** A request about one ID. A delete, a read, or `follow` uses only the ID of the record. */
export interface Request {
  /** `reuseId` creates a record under the ID of a deleted record. `follow` means that a follower receives the last change. */
  readonly action: 'create' | 'update' | 'reuseId' | 'delete' | 'read' | 'follow';
  readonly record: NewRecord;
  /** The state that an update may replace. Default: any state. */
  readonly match?: ShownRecord | undefined;
}

/** A reply about the record with the ID, or a received change. `retired`: the record was deleted. `failed`: the precondition is false. */
export interface Answer {
  readonly kind:
    | ('stored' | 'replayed' | 'taken' | 'retired' | 'deleted' | 'not found' | 'shown' | 'failed')
    | Change['kind'];
  /** The records that it shows. */
  readonly records?: readonly ShownRecord[];
}

/** A request that was sent, and its answer, if the outcome is known. */
export interface Operation {
  readonly request: Request;
  /** The number of the event when it was sent. Later events have higher numbers. */
  readonly start: number;
  /** The number of the event when it was answered; `Infinity` before that. */
  end: number;
  answer?: Answer | undefined;
  /** The `start` of an operation that must come before it, in the same batch or of the same follower. */
  readonly after?: number | undefined;
}

/** The last change of a record, as received by a follower, with the record unless it was deleted. */
export interface Change extends Identity {
  readonly kind: 'created' | 'updated' | 'deleted';
  readonly at: string | undefined;
  readonly record: ShownRecord | undefined;
}

/** The state of an ID. */
export type State = 'nothing' | 'a deleted record' | LiveRecord;

interface LiveRecord {
  readonly fields: Fields;
  /** The fields of the create, or of the request that reused the ID. */
  readonly created: Fields;
  readonly isUpdated?: true;
  /** Unknown until a reply shows it. */
  readonly addedAt?: string | undefined;
}

/** A possible state of an ID, with the unanswered requests that might still be carried out. */
export interface PossibleState {
  readonly state: State;
  readonly unanswered: readonly Operation[];
}

/**
 * Finds all possible states of an ID after operations. Considers each order in which every operation gets its actual answer, and comes
 * after the operations that were answered before it was sent. Unanswered operations can come at any time after that, or not at all, but
 * before a later operation for the same ID in the same batch. Returns an empty list if no order explains the answers.
 */
export function findPossibleStates(
  previousStates: readonly PossibleState[],
  operations: readonly Operation[],
): readonly PossibleState[] {
  const found: PossibleState[] = [];
  const visited = new Set<string>();
  function visit(before: State, remaining: readonly Operation[]): void {
    const key = `${remaining.map(({ start }) => start)} ${toJson(before)}`;
    if (visited.has(key)) return;
    visited.add(key);
    const firstEnd = Math.min(...remaining.map(({ end }) => end));
    if (firstEnd === Number.POSITIVE_INFINITY) found.push({ state: before, unanswered: remaining });
    const next = remaining.flatMap((operation) => {
      const mustWait = operation.start > firstEnd || remaining.some(({ start }) => start === operation.after);
      const state = mustWait ? undefined : apply(before, operation);
      return state === undefined ? [] : { operation, state, isSame: isEqual(state, before) };
    });
    // An answered operation that cannot have changed anything can always come first.
    const couldChange = ({ request, answer }: Operation) =>
      answer === undefined || request.action === 'delete' || request.action === 'update';
    const first = next.find(({ operation, isSame }) => isSame && !couldChange(operation));
    for (const { operation, state, isSame } of first ? [first] : next) {
      const isFollowed = remaining.some(({ after }) => after === operation.start);
      // An unanswered operation can come later if it changes nothing, or if there is an earlier identical one.
      const canWait = isSame || remaining.find((other) => isInterchangeable(other, operation)) !== operation;
      const others = remaining.filter((other) => other !== operation);
      if (operation.answer !== undefined || isFollowed || !canWait) visit(state, others);
      // An unanswered operation that another one waited for cannot come later, but can have failed.
      if (operation.answer === undefined && isFollowed) visit(before, others);
    }
  }
  for (const { state, unanswered } of previousStates) visit(state, [...unanswered, ...operations]);
  return found;
}

function isEqual(a: State, b: State): boolean {
  return toJson(a) === toJson(b);
}

/** Whether two requests are identical and both have an unknown outcome. */
function isInterchangeable(a: Operation, b: Operation): boolean {
  const areUnknown = [a, b].every(({ answer, after }) => answer === undefined && after === undefined);
  const keyOf = ({ request: { action, record, match } }: Operation) =>
    toJson([action, record.fields, match && [match.addedAt, match.fields]]);
  return a === b || (areUnknown && keyOf(a) === keyOf(b));
}

/** Returns the state after an operation, or `undefined` if the operation would not get its actual answer. */
function apply(before: State, { request, answer }: Operation): State | undefined {
  const [shown] = answer?.records ?? [];
  // Only a new record gets a new time, so any other reply shows the time of the previous state.
  const keepsTime = typeof before === 'object' && request.action !== 'reuseId';
  const current = keepsTime ? { ...before, addedAt: before.addedAt ?? shown?.addedAt } : before;
  const [kind, next] = reply(current, request);
  if (answer === undefined) return next;
  if (kind !== answer.kind) return undefined;
  if (shown === undefined || typeof next !== 'object') return next;
  const { addedAt = shown.addedAt } = next;
  const isShown = shown.resource.isSame(next.fields, shown.fields) && addedAt === shown.addedAt;
  return isShown ? { ...next, addedAt } : undefined;
}

/** The specification. Returns the answer to a request, and the new state of the ID. */
function reply(state: State, { action, record, match }: Request): readonly [Answer['kind'], State] {
  const { fields, resource } = record;
  const newRecord = { fields, created: fields };
  if (action === 'create') {
    if (state === 'nothing') return ['stored', newRecord];
    if (state === 'a deleted record') return ['retired', state];
    return [resource.isSame(state.created, fields) ? 'replayed' : 'taken', state];
  }
  if (state === 'nothing') return ['not found', state];
  if (action === 'delete') return ['deleted', 'a deleted record'];
  if (action === 'reuseId') return state === 'a deleted record' ? ['shown', newRecord] : ['failed', state];
  if (state === 'a deleted record') return [action === 'follow' ? 'deleted' : 'not found', state];
  if (action === 'follow') return [state.isUpdated ? 'updated' : 'created', state];
  if (action === 'read' || resource.isSame(state.fields, fields)) return ['shown', state];
  const isMatched =
    match === undefined || (resource.isSame(state.fields, match.fields) && state.addedAt === match.addedAt);
  return isMatched ? ['shown', { ...state, fields, isUpdated: true }] : ['failed', state];
}

/** Describes the operations that were sent until the first answer that no order explains, one per line. */
export function describeHistory(before: readonly PossibleState[], operations: readonly Operation[]): string {
  const unanswered = { answer: undefined, end: Number.POSITIVE_INFINITY };
  const operationsUntil = (time: number) =>
    operations
      .filter(({ start }) => Math.abs(start) <= time)
      .map((operation): Operation => (operation.end <= time ? operation : { ...operation, ...unanswered }));
  const ends = operations.map(({ end }) => end).sort((a, b) => a - b);
  const wrong =
    ends.find((end) => findPossibleStates(before, operationsUntil(end)).length === 0) ??
    Number.POSITIVE_INFINITY;
  const show = (record: ShownRecord | undefined) =>
    record === undefined ? '' : toJson({ ...record.fields, addedAt: record.addedAt }).slice(0, 200);
  const lines = operationsUntil(wrong).map(({ request: { action, record, match }, start, end, answer }) => {
    const precondition = match === undefined ? '' : ` if ${show(match)}`;
    const shown = show(answer?.records?.[0]);
    return `${start} to ${end}: ${action} ${show(record)}${precondition}: ${answer?.kind} ${shown}`.trim();
  });
  return [`before: ${toJson(before.map(({ state }) => state))}`, ...lines].join('\n');
}
