import { type Fields, type Identity, type NewRecord, type Shown, toJson } from './records.js';

/** A request about one id. For a delete, a read or `follow`, only the id of the record counts. */
export interface Request {
  /** `reuseId`: reuses the id of a deleted record. `follow`: a follower gets its last change. */
  readonly do: 'create' | 'update' | 'reuseId' | 'delete' | 'read' | 'follow';
  readonly record: NewRecord;
  /** The state that an update may replace; any state if omitted. */
  readonly match?: Shown | undefined;
}

/** A reply that shows the record with the id, or a change. `retired`: a deleted record; `failed`: the precondition does not hold. */
export interface Answer {
  readonly kind:
    | ('stored' | 'replayed' | 'taken' | 'retired' | 'deleted' | 'not found' | 'shown' | 'failed')
    | Change['kind'];
  /** The records that it shows. */
  readonly records?: readonly Shown[];
}

/** A request that was sent, and its answer, unless the outcome is unknown. */
export interface Operation {
  readonly request: Request;
  /** When it was sent and answered. Numbers are unique, and later events have greater ones. */
  readonly start: number;
  end: number;
  answer?: Answer | undefined;
  /** The `start` of the operation that must precede it, in the same batch or of the same follower. */
  readonly after?: number | undefined;
}

/** The last change of a record, as received by a follower: with the record, unless it was deleted. */
export interface Change extends Identity {
  readonly kind: 'created' | 'updated' | 'deleted';
  readonly at: string | undefined;
  readonly record: Shown | undefined;
}

/** The state of an id. */
export type State = 'nothing' | 'a deleted record' | Live;

interface Live {
  readonly fields: Fields;
  /** The fields with which it was created, or reused the id. */
  readonly created: Fields;
  readonly isUpdated?: true;
  /** Unknown until a reply shows it. */
  readonly addedAt?: string | undefined;
}

/** A possible state of an id, with the unanswered requests that may still be executed. */
export interface Possible {
  readonly state: State;
  readonly unanswered: readonly Operation[];
}

/**
 * Finds all possible states of an id after operations. Considers each order in which every operation gets its actual answer, and comes
 * after those that were answered before it was sent. Unanswered operations may come anywhere, or not at all. Returns nothing if no order
 * explains the answers.
 */
export function explain(
  possible: readonly Possible[],
  operations: readonly Operation[],
): readonly Possible[] {
  const found: Possible[] = [];
  const visited = new Set<string>();
  function visit(before: State, left: readonly Operation[]): void {
    const key = `${left.map(({ start }) => start)} ${toJson(before)}`;
    if (visited.has(key)) return;
    visited.add(key);
    const firstEnd = Math.min(...left.map(({ end }) => end));
    if (firstEnd === Number.POSITIVE_INFINITY) found.push({ state: before, unanswered: left });
    const next = left.flatMap((operation) => {
      const isLater = operation.start > firstEnd || left.some(({ start }) => start === operation.after);
      const state = isLater ? undefined : carryOut(before, operation);
      return state === undefined ? [] : { operation, state, isSame: isEqual(state, before) };
    });
    // An answered operation that cannot have changed anything can always come first.
    const mayChange = ({ request, answer }: Operation) =>
      answer === undefined || request.do === 'delete' || request.do === 'update';
    const first = next.find(({ operation, isSame }) => isSame && !mayChange(operation));
    for (const { operation, state, isSame } of first ? [first] : next) {
      const isFollowed = left.some(({ after }) => after === operation.start);
      // An unanswered operation that changes nothing can come later, and after an earlier identical one.
      const isIdle = isSame || left.find((other) => isAlike(other, operation)) !== operation;
      if (operation.answer !== undefined || isFollowed || !isIdle)
        visit(
          state,
          left.filter((other) => other !== operation),
        );
    }
  }
  for (const { state, unanswered } of possible) visit(state, [...unanswered, ...operations]);
  return found;
}

function isEqual(one: State, other: State): boolean {
  return toJson(one) === toJson(other);
}

/** Whether two requests are identical and both have an unknown outcome. */
function isAlike(one: Operation, other: Operation): boolean {
  const isUnknown = [one, other].every(({ answer, after }) => answer === undefined && after === undefined);
  const show = ({ request: { do: what, record, match } }: Operation) =>
    toJson([what, record.fields, match && [match.addedAt, match.fields]]);
  return one === other || (isUnknown && show(one) === show(other));
}

/** The state after an operation; `undefined` if the operation would not get its actual answer. */
function carryOut(before: State, { request, answer }: Operation): State | undefined {
  const [shown] = answer?.records ?? [];
  // An update keeps the time, so its reply shows the time of the previous state.
  const isKept = typeof before === 'object' && request.do !== 'reuseId';
  const known = isKept ? { ...before, addedAt: before.addedAt ?? shown?.addedAt } : before;
  const [kind, next] = reply(known, request);
  if (answer === undefined) return next;
  if (kind !== answer.kind) return undefined;
  if (shown === undefined || typeof next !== 'object') return next;
  const { addedAt = shown.addedAt } = next;
  const isShown = shown.resource.isSame(next.fields, shown.fields) && addedAt === shown.addedAt;
  return isShown ? { ...next, addedAt } : undefined;
}

/** What the service promises: the answer to a request, and the new state of the id. */
function reply(state: State, { do: what, record, match }: Request): readonly [Answer['kind'], State] {
  const { fields, resource } = record;
  const given = { fields, created: fields };
  if (what === 'create') {
    if (state === 'nothing') return ['stored', given];
    if (state === 'a deleted record') return ['retired', state];
    return [resource.isSame(state.created, fields) ? 'replayed' : 'taken', state];
  }
  if (state === 'nothing') return ['not found', state];
  if (what === 'delete') return ['deleted', 'a deleted record'];
  if (what === 'reuseId') return state === 'a deleted record' ? ['shown', given] : ['failed', state];
  if (state === 'a deleted record') return [what === 'follow' ? 'deleted' : 'not found', state];
  if (what === 'follow') return [state.isUpdated ? 'updated' : 'created', state];
  if (what === 'read' || resource.isSame(state.fields, fields)) return ['shown', state];
  const isMatched =
    match === undefined || (resource.isSame(state.fields, match.fields) && state.addedAt === match.addedAt);
  return isMatched ? ['shown', { ...state, fields, isUpdated: true }] : ['failed', state];
}

/** The operations that were sent until the first answer that no order explains, one per line. */
export function describeHistory(before: readonly Possible[], operations: readonly Operation[]): string {
  const unanswered = { answer: undefined, end: Number.POSITIVE_INFINITY };
  const until = (time: number) =>
    operations
      .filter(({ start }) => Math.abs(start) <= time)
      .map((one): Operation => (one.end <= time ? one : { ...one, ...unanswered }));
  const ends = operations.map(({ end }) => end).sort((one, other) => one - other);
  const wrong = ends.find((end) => explain(before, until(end)).length === 0) ?? Number.POSITIVE_INFINITY;
  const show = (record: Shown | undefined) =>
    record === undefined ? '' : toJson({ ...record.fields, addedAt: record.addedAt }).slice(0, 200);
  const lines = until(wrong).map(({ request: { do: what, record, match }, start, end, answer }) => {
    const precondition = match === undefined ? '' : ` if ${show(match)}`;
    const shown = show(answer?.records?.[0]);
    return `${start} to ${end}: ${what} ${show(record)}${precondition}: ${answer?.kind} ${shown}`.trim();
  });
  return [`before: ${toJson(before.map(({ state }) => state))}`, ...lines].join('\n');
}
