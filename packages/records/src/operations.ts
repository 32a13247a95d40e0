import { Int64ParameterSchema, MAX_RECORDS } from '@plant-store/contract';
import { columnsOf } from '@plant-store/contract/columns';
import { type Conditions, findFailedCondition, isEntityTags } from '@plant-store/contract/conditions';
import { explainInvalid, messages, messagesOf, subjectOf } from '@plant-store/contract/messages';
import { errorNamesOf, fieldsOf, type Resource } from '@plant-store/contract/resource';
import {
  cursorsOf,
  type RecordQuery,
  readChangeCursor,
  readCountCursor,
  readStateCursor,
  writeChangeCursor,
  writeCountCursor,
  writeStateCursor,
} from './cursor.js';
import { internalError, ServiceError } from './errors.js';
import { toIsoTime } from './iso-time.js';
import {
  type CountLimits,
  type CreateOutcome,
  isTombstone,
  type ListPosition,
  type ListQuery,
  type New,
  type RecordChange,
  type RecordState,
  removalOf,
  type Store,
  type Stored,
  type StoredRecord,
} from './store.js';

/** What differs between the service and the fake of the client. */
export interface Platform<Fields> {
  /** A text that identifies another one: in the service it is the SHA-256 in base64url. */
  readonly digest: (text: string) => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The size of the fields of a record, in bytes. Default: 0, for a store without limits. */
  readonly bytesOf?: (record: Fields) => number;
  /** An id as replies have it. Default: as it is. */
  readonly showId?: (id: bigint) => bigint | number;
}

/** A successful reply: its body, and the headers that depend on the operation. */
export interface Reply<Status extends number, Body> {
  readonly status: Status;
  readonly body: Body;
  readonly etag?: string;
  /** Whether an earlier request had stored the record. */
  readonly replayed?: boolean;
}

/** A record as replies show it. */
export type Shown<Fields> = Fields & {
  readonly id: bigint;
  readonly idText: string;
  readonly addedAt?: string | undefined;
};

/** A record under the name of its resource, such as `{ garden: … }`. */
export type Named<Fields, Name extends string> = { readonly [Each in Name]: Shown<Fields> };

/** The last change of a record as a reply shows it. */
export type ShownChange<Fields, Name extends string> = {
  readonly id: bigint;
  readonly idText: string;
  readonly at?: string;
} & ({ readonly kind: 'deleted' } | ({ readonly kind: 'created' | 'updated' } & Named<Fields, Name>));

/** Who did something: an access token of the service, or the subject of a JSON Web Token. */
export type Doer = { readonly id: bigint | number } | { readonly subject: string };

/** What precedes the subject of a JSON Web Token where others have the id of a token. */
export const subjectMark = 'subject ';

/** A state of a record as a reply shows it. */
export type ShownState<Fields> = Fields & {
  readonly from?: string;
  readonly until?: string;
  readonly by?: Doer;
};

/** What a batch returns for one of its items, unless it is an error. */
export type ShownResult<Fields, Name extends string> = { readonly status: 200 } & Named<Fields, Name>;

/** The items of a batch, which are not validated yet. */
export interface Batch {
  readonly items: readonly unknown[];
  /** Resolves to how many of the remaining items may start now. Default: all. */
  readonly awaitTurn?: ((remaining: number) => Promise<number>) | undefined;
}

/** What of a schema reads an item of a batch. */
interface ItemSchema<Item> {
  safeParse(item: unknown): {
    readonly data?: Item | undefined;
    readonly error?: {
      readonly issues: readonly { readonly path: readonly unknown[]; readonly message: string }[];
    };
  };
}

/** How many records a page has by default. */
const defaultLimit = 100;

/** The most bytes of fields that the reply to a batch of gets has. */
const maxReplyBytes = 2 ** 22;
/** How many records of such a batch are read at the same time. */
const readsTogether = 64;

/**
 * The operations of a resource (docs/use/api.md): what each returns, and when it fails. They work over any store of the resource.
 *
 * All throw `ServiceError`s of the registry, and whatever the store throws.
 *
 * @param schema validates a record of a batch
 */
export function operationsOf<Fields extends object, Name extends string = string>(
  resource: Resource<Name>,
  schema: ItemSchema<New<Fields>>,
  { digest, now, bytesOf = () => 0, showId = (id) => id }: Platform<Fields>,
) {
  type Records = Store<Fields>;
  const columns = columnsOf<Fields>(resource);
  const { names, isSame, identify, pick } = columns;
  const errorNames = errorNamesOf(resource);
  const texts = messagesOf(resource);
  const cursors = cursorsOf(resource);
  const filters = fieldsOf(resource).flatMap(([name, { filter }]) => (filter ? name : []));

  /** What identifies the create of a record after an update. The fields cannot be read from it. */
  const fingerprintOf = (record: Fields) => digest(identify(record));

  /** The strong entity tag of a record (RFC 9110, section 8.8.3). It depends only on the record, so that no version is stored. */
  const entityTagOf = (record: Fields & Pick<Stored<object>, 'addedAt'>) =>
    `"${digest(`[${record.addedAt ?? null},${identify(record)}]`).slice(0, 22)}"`;

  const notFound = (id: bigint) => new ServiceError(errorNames.notFound, texts.notFound(id));

  const conditionFailed = (failed: keyof Conditions, id: bigint) =>
    new ServiceError('precondition_failed', failed === 'if-match' ? texts.changed(id) : texts.excluded(id));

  /** A record as replies show it. Members are set one by one, since a page of copies takes half as long again. */
  function show(record: Stored<Fields>): Shown<Fields> {
    const { id, addedAt } = record;
    const values = record as Readonly<Record<string, unknown>>;
    const shown: Record<string, unknown> = { id: showId(id), idText: id.toString() };
    for (const name of names) shown[name] = values[name];
    shown['addedAt'] = typeof addedAt === 'number' ? toIsoTime(addedAt) : undefined;
    return shown as Shown<Fields>;
  }

  /** Whether a record was created as another one, whatever it was updated to. */
  const isReplay = (existing: Stored<Fields>, created: Fields) =>
    existing.original === undefined
      ? isSame(existing, created)
      : existing.original === fingerprintOf(created);

  /** A record with other fields; `undefined` if it has these. */
  function withFields(record: Stored<Fields>, fields: Fields): Stored<Fields> | undefined {
    if (isSame(record, fields)) return undefined;
    const { id, addedAt = null, original = fingerprintOf(record) } = record;
    return { ...pick(fields), id, addedAt, original };
  }

  async function createOne(store: Pick<Records, 'create'>, record: New<Fields>) {
    const outcome = await store.create(record);
    if (outcome.stored) return { replayed: false, addedAt: outcome.addedAt };
    const { existing } = outcome;
    if (isTombstone(existing)) throw new ServiceError('id_retired', texts.idRetired(record.id));
    if (isReplay(existing, record)) return { replayed: true, addedAt: existing.addedAt ?? null };
    throw new ServiceError('id_taken', texts.idTaken(record.id));
  }

  async function findOne(store: Pick<Records, 'find'>, id: bigint): Promise<Stored<Fields>> {
    const record = await store.find(id);
    if (record === undefined || isTombstone(record)) throw notFound(id);
    return record;
  }

  /** The first condition that is false for what has an id. */
  const findFailed = (conditions: Conditions, existing: StoredRecord<Fields> | undefined) =>
    existing === undefined || isTombstone(existing)
      ? undefined
      : findFailedCondition(conditions, entityTagOf(existing));

  async function removeOne(store: Pick<Records, 'change'>, id: bigint, conditions: Conditions = {}) {
    const removal = removalOf<Fields>(id);
    const { before } = await store.change({
      ...removal,
      replace: (existing) =>
        findFailed(conditions, existing) === undefined ? removal.replace(existing) : undefined,
    });
    if (before === undefined) throw notFound(id);
    const failed = findFailed(conditions, before);
    if (failed !== undefined) throw conditionFailed(failed, id);
  }

  /** Reads an id of a batch. */
  function readId(text: unknown): bigint {
    const { data } = Int64ParameterSchema.safeParse(text);
    if (data === undefined) throw new ServiceError('bad_request', texts.invalidIdText);
    return data;
  }

  function readRecord(item: unknown): New<Fields> {
    const { data, error } = schema.safeParse(item);
    if (data !== undefined) return data;
    const { errorName, message } = explainInvalid({ body: error?.issues }, subjectOf(resource));
    throw new ServiceError(errorName, message);
  }

  /** @throws {ServiceError} `batch_too_large` */
  function requireBatch({ items }: Pick<Batch, 'items'>): void {
    if (items.length > MAX_RECORDS)
      throw new ServiceError('batch_too_large', texts.batchTooLarge(items.length));
  }

  const showNamed = (record: Stored<Fields>) =>
    ({ [resource.name]: show(record) }) as unknown as Named<Fields, Name>;

  function showChange({ record, at }: RecordChange<Fields>): ShownChange<Fields, Name> {
    const { id } = record;
    const about = { id, idText: id.toString() };
    const time = at === undefined ? {} : { at: toIsoTime(at) };
    if (isTombstone(record)) return { kind: 'deleted', ...about, ...time };
    const kind = record.original === undefined ? 'created' : 'updated';
    return { kind, ...about, ...showNamed(record), ...time };
  }

  const showDoer = (by: string): Doer =>
    by.startsWith(subjectMark) ? { subject: by.slice(subjectMark.length) } : { id: showId(BigInt(by)) };

  const showState = (
    { fields, from, until, by }: RecordState<Fields>,
    showsDoer: boolean,
  ): ShownState<Fields> => ({
    ...pick(fields),
    ...(from !== undefined && { from: toIsoTime(from) }),
    ...(until !== undefined && { until: toIsoTime(until) }),
    ...(showsDoer && by !== undefined && { by: showDoer(by) }),
  });

  return {
    resource,
    columns,
    show,
    isReplay,
    withFields,
    entityTagOf,
    requireBatch,

    /** Creates a record. The id is also the idempotency key: the same record again is a replay, which stores nothing. */
    async create(store: Pick<Records, 'create'>, record: New<Fields>): Promise<Reply<200, Fields>> {
      const { replayed, addedAt } = await createOne(store, record);
      const body = pick(record);
      // The ETag of the record that the reply shows, also in a replay: it is out of date if the record has changed since.
      return { status: 200, body, replayed, etag: entityTagOf({ ...body, addedAt }) };
    },

    /** Creates the records of a batch, each as `create` does, those of one id as if one after the other. */
    createMany(store: Pick<Records, 'create'>, batch: Batch) {
      requireBatch(batch);
      const inOrder = createInOrder(store);
      return runBatch(batch, async (item) => {
        const { replayed } = await createOne(inOrder, readRecord(item));
        return { status: 200 as const, replayed };
      });
    },

    /** Returns the record with an id, unless the conditions of the request ask for another reply (RFC 9110, section 13.1). */
    async get(
      store: Pick<Records, 'find'>,
      id: bigint,
      { 'if-match': match, 'if-none-match': noneMatch }: Conditions = {},
    ): Promise<Reply<200, Shown<Fields>> | Reply<304, undefined>> {
      if (!isEntityTags(match ?? '*')) throw new ServiceError('bad_request', messages.invalidIfMatch);
      const record = await findOne(store, id);
      const etag = entityTagOf(record);
      const failed = findFailedCondition({ 'if-match': match, 'if-none-match': noneMatch }, etag);
      if (failed === 'if-match') throw conditionFailed(failed, id);
      return failed === undefined
        ? { status: 200, body: show(record), etag }
        : { status: 304, body: undefined, etag };
    },

    /**
     * Returns the records with the ids of a batch, a few at a time. Once they are larger than a reply may be, the rest are
     * `overloaded`; at least one is returned.
     */
    async getMany(store: Pick<Records, 'find'>, batch: Batch) {
      requireBatch(batch);
      const { items } = batch;
      const results: (ShownResult<Fields, Name> | ServiceError)[] = [];
      const isFull = () => new ServiceError('overloaded', texts.replyIsFull);
      let bytes = 0;
      while (results.length < items.length) {
        const some = items.slice(results.length, results.length + readsTogether);
        const found = await runBatch({ ...batch, items: some }, async (item) => {
          const id = readId(item);
          if (bytes > maxReplyBytes) throw isFull();
          const record = await findOne(store, id);
          const own = bytesOf(record);
          bytes += own;
          if (bytes > maxReplyBytes && bytes > own) throw isFull();
          return { status: 200 as const, ...showNamed(record) };
        });
        results.push(...found);
      }
      return results;
    },

    /**
     * Replaces the fields of a record if the conditions of the request hold (RFC 9110, section 13.1). With `If-None-Match: *` it reuses
     * the id of a deleted record. A record that has the fields already stays as it is, whatever `If-Match` says, since an earlier
     * attempt may have updated it (section 13.1.1).
     */
    async update(
      store: Pick<Records, 'change'>,
      id: bigint,
      body: Fields,
      conditions: Conditions,
    ): Promise<Reply<200, Shown<Fields>>> {
      const { 'if-match': match, 'if-none-match': noneMatch } = conditions;
      if (match === undefined && !noneMatch)
        throw new ServiceError('precondition_required', texts.preconditionRequired);
      const reusesId = match === undefined && noneMatch === '*';
      const fields = pick(body);
      const { before, after } = await store.change({
        id,
        bytes: bytesOf(fields),
        replace(existing) {
          if (existing === undefined) return undefined;
          if (isTombstone(existing)) return reusesId ? { ...fields, id, addedAt: now() } : undefined;
          return findFailed(conditions, existing) ? undefined : withFields(existing, fields);
        },
      });
      const reply = (record: Stored<Fields>) =>
        ({ status: 200, body: show(record), etag: entityTagOf(record) }) as const;
      if (after !== undefined && !isTombstone(after)) return reply(after);
      if (before === undefined || isTombstone(before))
        throw reusesId ? new ServiceError(errorNames.notFound, texts.idNeverUsed(id)) : notFound(id);
      if (reusesId) throw new ServiceError('precondition_failed', texts.exists(id));
      const failed = findFailed(conditions, before);
      if (failed !== undefined && !(failed === 'if-match' && isSame(before, fields)))
        throw conditionFailed(failed, id);
      return reply(before);
    },

    /** Deletes the record with an id. Deleting it again does nothing. */
    async delete(
      store: Pick<Records, 'change'>,
      id: bigint,
      conditions: Conditions = {},
    ): Promise<Reply<204, undefined>> {
      await removeOne(store, id, conditions);
      return { status: 204, body: undefined };
    },

    /** Deletes the records with the ids of a batch, each as `delete` does. */
    deleteMany(store: Pick<Records, 'change'>, batch: Batch) {
      requireBatch(batch);
      return runBatch(batch, async (item) => {
        await removeOne(store, readId(item));
        return { status: 204 as const };
      });
    },

    /**
     * Returns a page of the records that match a query. With a filter it may be short, or empty, before the last one.
     *
     * @throws {ServiceError} `bad_request` when `after` is not the `next` of a page of this query
     */
    async list(store: Pick<Records, 'list'>, query: RecordQuery, examined: CountLimits) {
      const { limit = defaultLimit, after, order = 'id', q } = query;
      const start = after === undefined ? undefined : cursors.read(query, after);
      if (after !== undefined && start === undefined)
        throw new ServiceError('bad_request', messages.invalidCursor);
      const values = query as Readonly<Record<string, unknown>>;
      const equal = Object.fromEntries(
        filters.map((name) => [name, columns.toColumn(name, values[name]) ?? undefined]),
      );
      const [addedFrom, addedBefore] = [query.addedFrom, query.addedBefore].map((text) =>
        text === undefined ? undefined : Date.parse(text),
      );
      const list = (part: ListQuery['order'], from: ListPosition | undefined, matches: number) =>
        store.list({ order: part, after: from, q, equal, addedFrom, addedBefore }, { ...examined, matches });
      const isUntimed = order === 'newest' && start !== undefined && start.addedAt === undefined;
      const { records, last, readMs } = await list(isUntimed ? 'untimed' : order, start, limit);
      const page = (listed: readonly Stored<Fields>[], end: ListPosition | undefined) => ({
        records: listed,
        next: end && cursors.write(query, end),
        readMs,
      });
      const isTimed = addedFrom !== undefined || addedBefore !== undefined;
      if (last !== undefined || order !== 'newest' || isUntimed || isTimed) return page(records, last);
      // Records without a time come last, if only to find out that there are none.
      const rest = await list('untimed', undefined, Math.max(1, limit - records.length));
      if (records.length < limit || rest.records.length === 0)
        return page([...records, ...rest.records], rest.last);
      const end = records.at(-1);
      return page(records, end && { id: end.id, addedAt: end.addedAt ?? undefined });
    },

    /**
     * Returns how many records have each value of a text field, among as many as the limits allow.
     *
     * @throws {ServiceError} `bad_request` when `after` is not the `next` of a page
     */
    async count(
      store: Pick<Records, 'countValues'>,
      field: string,
      { after }: { readonly after?: string | undefined },
      examined: CountLimits,
    ) {
      const start = after === undefined ? undefined : readCountCursor(field, after);
      if (after !== undefined && start === undefined)
        throw new ServiceError('bad_request', messages.invalidCursor);
      const { counts, last, readMs } = await store.countValues(field, start, examined);
      return {
        counts: counts.toSorted(([a], [b]) => (a < b ? -1 : 1)),
        next: last === undefined ? undefined : writeCountCursor(field, last),
        readMs,
      };
    },

    /**
     * Returns the changes after a position in their order. Where there are no more, the page is empty, and its `next` is the same again.
     *
     * @throws {ServiceError} `bad_request` when `after` is not the `next` of a page, `cursor_expired` when it is from before a restore
     */
    async changes(
      store: Pick<Records, 'listChanges'>,
      { after, limit = defaultLimit }: { readonly after: string; readonly limit?: number | undefined },
      examined: CountLimits,
    ) {
      const position = after === '0' ? undefined : readChangeCursor(after);
      if (position === undefined && after !== '0')
        throw new ServiceError('bad_request', messages.invalidChangeCursor);
      const limits = { ...examined, matches: limit };
      const startedAt = performance.now();
      const isInTime = () =>
        performance.now() - startedAt < (examined.durationMs ?? Number.POSITIVE_INFINITY);
      let page = await store.listChanges(position, limits);
      // All records of earlier versions may have changed since, or there were none.
      while (page.changes.length === 0 && page.hasMore && isInTime())
        page = await store.listChanges(page.last, limits);
      const { changes, last, readMs } = page;
      return { changes: changes.map(showChange), next: writeChangeCursor(last), readMs };
    },

    /**
     * Returns the states of a record, the latest first.
     *
     * @param showsDoer whether it shows who has made them
     * @throws {ServiceError} `bad_request` when `after` is not the `next` of a page about this record
     */
    async history(
      store: Pick<Records, 'listStates'>,
      id: bigint,
      {
        after,
        limit = defaultLimit,
      }: { readonly after?: string | undefined; readonly limit?: number | undefined },
      examined: CountLimits,
      showsDoer: boolean,
    ) {
      const before = after === undefined ? undefined : readStateCursor(id, after);
      if (after !== undefined && before === undefined)
        throw new ServiceError('bad_request', messages.invalidCursor);
      const listed = await store.listStates(id, before, { ...examined, matches: limit });
      if (listed === undefined) throw notFound(id);
      const last = listed.hasMore ? listed.states.at(-1) : undefined;
      return {
        states: listed.states.map((state) => showState(state, showsDoer)),
        next: last && writeStateCursor(id, last.revision),
      };
    },

    /** The cursor of now: only later changes come after it. */
    latest: async (store: Pick<Records, 'lastChange'>): Promise<string> =>
      writeChangeCursor(await store.lastChange()),
  };
}

export type Operations<Fields extends object, Name extends string = string> = ReturnType<
  typeof operationsOf<Fields, Name>
>;

/**
 * Runs each item of a batch, all at the same time.
 *
 * @returns what each returned or threw, in order; none stops the others
 */
export async function runBatch<Result>(
  { items, awaitTurn = async (remaining) => remaining }: Batch,
  runOne: (item: unknown) => Promise<Result>,
): Promise<(Result | ServiceError)[]> {
  const results: Promise<Result | ServiceError>[] = [];
  while (results.length < items.length) {
    const count = await awaitTurn(items.length - results.length);
    for (const item of items.slice(results.length, results.length + count))
      results.push(runOne(item).catch(toServiceError));
  }
  return Promise.all(results);
}

function toServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : internalError(error);
}

/**
 * Sends only the first create of each id to the store, since a store may commit creates of one batch in any order. The outcome of the
 * others follows from the first.
 */
function createInOrder<Fields>(store: Pick<Store<Fields>, 'create'>): Pick<Store<Fields>, 'create'> {
  const first = new Map<bigint, () => Promise<CreateOutcome<Fields>>>();
  return {
    create(record) {
      const afterFirst = first.get(record.id);
      if (afterFirst !== undefined) return afterFirst();
      const created = store.create(record);
      first.set(record.id, async () => {
        const outcome = await created;
        if (!outcome.stored) return outcome;
        return { stored: false, existing: { ...record, addedAt: outcome.addedAt } };
      });
      return created;
    },
  };
}
