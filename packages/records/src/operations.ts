import { Int64ParameterSchema, MAX_RECORDS } from '@plant-store/contract';
import { columnsOf } from '@plant-store/contract/columns';
import { type Conditions, findFailedCondition, isEntityTags } from '@plant-store/contract/conditions';
import { messages, messagesOf, type RequestIssues, subjectOf } from '@plant-store/contract/messages';
import { errorNamesOf, filtersOf, pluralFilterOf, type Resource } from '@plant-store/contract/resource';
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
import { partsOfOrder } from './order.js';
import { invalidRequest } from './requests.js';
import {
  type ChangePosition,
  isTombstone,
  type ListFilter,
  type ListLimits,
  type ListPosition,
  type New,
  type RecordChange,
  type RecordPeople,
  type RecordState,
  removalOf,
  type Store,
  type Stored,
  type StoredRecord,
} from './store.js';

/** The functions that differ between the service and the fake plant store of the client. */
export interface Platform<Fields> {
  /** Returns a digest of a text. In the service, it is the SHA-256 in base64url. */
  readonly digest: (text: string) => string;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Returns the size of the fields of a record, in bytes. Default: 0, for a store without limits. */
  readonly bytesOf?: (record: Fields) => number;
  /** Converts an ID for replies. Default: unchanged. */
  readonly showId?: (id: bigint) => bigint | number;
}

/** A reply that is not an error: its body, and the headers that depend on the operation. */
export interface Reply<Status extends number, Body> {
  readonly status: Status;
  readonly body: Body;
  readonly etag?: string;
  /** Whether an earlier request already stored the record. */
  readonly replayed?: boolean;
}

/** A record as replies show it. */
export type Shown<Fields> = Fields & {
  readonly id: bigint;
  readonly idText: string;
  readonly addedAt?: string | undefined;
  readonly addedBy?: string | undefined;
  readonly changedBy?: string | undefined;
};

/** A record under its resource's name, such as `{ garden: … }`. */
interface Named<Fields> {
  readonly [name: string]: Shown<Fields>;
}

export interface Batch {
  /** The items as received, not yet validated. */
  readonly items: readonly unknown[];
  /** Resolves to how many of the remaining items can start now. Default: all. */
  readonly awaitTurn?: ((remaining: number) => Promise<number>) | undefined;
}

interface ItemSchema<Item> {
  safeParse(item: unknown): {
    readonly data?: Item | undefined;
    readonly error?: { readonly issues: RequestIssues['body'] };
  };
}

interface PeopleReader<Fields> {
  findHistory(ids: readonly bigint[]): Promise<readonly RecordPeople<Fields>[]>;
}

/** Divides a long read into parts, so that other requests can run in between. */
export interface Pace {
  /** Returns the limits of the next part. */
  readonly limits: () => Omit<ListLimits, 'matches'>;
  /** Resolves when the next part can be read. Default: immediately. */
  readonly nextTurn?: () => Promise<void>;
  /** The maximum time for a list, in milliseconds. Default: no limit. */
  readonly maxMs?: number;
}

const defaultLimit = 100;

/** The maximum number of values in a page of counts. */
const maxValues = 10_000;

/** The maximum size of the fields in the reply to a batch, in bytes. */
const maxReplyBytes = 2 ** 22;

/** How many records of a batch are read concurrently. */
const readConcurrency = 64;

/**
 * Returns a resource's operations (docs/use/api.md), which work with any store of the resource. They throw a `ServiceError` for each error
 * that the API defines, and pass on the errors of the store.
 *
 * @param schema validates a record of a batch
 */
export function operationsOf<Fields extends object>(
  resource: Resource,
  schema: ItemSchema<New<Fields>>,
  { digest, now, bytesOf = () => 0, showId = (id) => id }: Platform<Fields>,
) {
  type Records = Store<Fields>;
  const columns = columnsOf<Fields>(resource);
  const { names, isSame, identify, pick } = columns;
  const errorNames = errorNamesOf(resource);
  const texts = messagesOf(resource);
  const cursors = cursorsOf(resource);
  const filters = filtersOf(resource).map(([name]) => name);

  /** Returns a digest of a record's fields, which identifies the original create request after an update without revealing the fields. */
  const fingerprintOf = (record: Fields) => digest(identify(record));

  /** Returns the strong entity tag of a record (RFC 9110, section 8.8.3). It depends only on the record, so no version number is stored. */
  const entityTagOf = (record: Fields & Pick<Stored<object>, 'addedAt'>) =>
    `"${digest(`[${record.addedAt ?? null},${identify(record)}]`).slice(0, 22)}"`;

  const notFound = (id: bigint) => new ServiceError(errorNames.notFound, texts.notFound(id));

  const conditionFailed = (failed: keyof Conditions, id: bigint) =>
    new ServiceError('precondition_failed', failed === 'if-match' ? texts.changed(id) : texts.excluded(id));

  /** Returns a record as replies show it. Sets members one by one, because copying takes 50% more time for a page. */
  function show(record: Stored<Fields>): Shown<Fields> {
    const { id, addedAt } = record;
    const values = record as Readonly<Record<string, unknown>>;
    const shown: Record<string, unknown> = { id: showId(id), idText: id.toString() };
    for (const name of names) shown[name] = values[name];
    shown['addedAt'] = typeof addedAt === 'number' ? toIsoTime(addedAt) : undefined;
    return shown as Shown<Fields>;
  }

  /** Whether a stored record was created with these fields, even if it was updated later. */
  const isReplay = (existing: Stored<Fields>, created: Fields) =>
    existing.original === undefined
      ? isSame(existing, created)
      : existing.original === fingerprintOf(created);

  /** Returns a record with new fields, or `undefined` if it already has them. */
  function withFields(record: Stored<Fields>, fields: Fields): Stored<Fields> | undefined {
    if (isSame(record, fields)) return undefined;
    const { id, addedAt = null, original = fingerprintOf(record) } = record;
    return { ...pick(fields), id, addedAt, original };
  }

  /** Returns the existing record if an earlier create with the same fields stored it. Otherwise throws `id_retired` or `id_taken`. */
  function requireReplay(existing: StoredRecord<Fields>, created: New<Fields>): Stored<Fields> {
    if (isTombstone(existing)) throw new ServiceError('id_retired', texts.idRetired(created.id));
    if (!isReplay(existing, created)) throw new ServiceError('id_taken', texts.idTaken(created.id));
    return existing;
  }

  async function findOne(store: Pick<Records, 'find'>, id: bigint): Promise<Stored<Fields>> {
    const record = await store.find(id);
    if (record === undefined || isTombstone(record)) throw notFound(id);
    return record;
  }

  /** Returns the first condition that is false for a record. */
  const findFailed = (conditions: Conditions, existing: StoredRecord<Fields> | undefined) =>
    existing === undefined || isTombstone(existing)
      ? undefined
      : findFailedCondition(conditions, entityTagOf(existing));

  /** Deletes a record if it exists and the conditions are true. */
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

  function readId(text: unknown): bigint {
    const { data } = Int64ParameterSchema.safeParse(text);
    if (data === undefined) throw new ServiceError('bad_request', texts.invalidIdText);
    return data;
  }

  function readRecord(item: unknown): New<Fields> {
    const { data, error } = schema.safeParse(item);
    if (data !== undefined) return data;
    throw invalidRequest({ body: error?.issues }, subjectOf(resource));
  }

  /** @throws {ServiceError} `batch_too_large` */
  function requireBatch({ items }: Pick<Batch, 'items'>): void {
    if (items.length > MAX_RECORDS)
      throw new ServiceError('batch_too_large', texts.batchTooLarge(items.length));
  }

  const nameShown = (shown: Shown<Fields>): Named<Fields> => ({ [resource.name]: shown });

  /** Limits the size of the reply to a batch. The first record can have any size. */
  function createReplyBudget() {
    let usedBytes = 0;
    return {
      /** @throws {ServiceError} `overloaded` when the reply is full */
      spend(bytes: number): void {
        usedBytes += bytes;
        if (usedBytes > maxReplyBytes && usedBytes > bytes)
          throw new ServiceError('overloaded', texts.replyIsFull);
      },
    };
  }

  /** Validates the condition of an item of a batch, if it has one. */
  function readCondition(tags: unknown): Conditions {
    if (tags !== undefined && !(typeof tags === 'string' && isEntityTags(tags)))
      throw new ServiceError('bad_request', messages.invalidItemIfMatch);
    return { 'if-match': tags };
  }

  /** Converts the filter of a query to column values. */
  function filterOf(query: RecordQuery): ListFilter {
    const values = query as Readonly<Record<string, unknown>>;
    const equal = Object.fromEntries(
      filters.map((name) => {
        const given = [values[name] ?? [], values[pluralFilterOf(name)] ?? []].flat();
        const accepted = [...new Set(given.map((value) => columns.toColumn(name, value)))];
        if (query.without === name) accepted.push(null);
        return [name, accepted.length === 0 ? undefined : accepted];
      }),
    );
    const [addedFrom, addedBefore] = [query.addedFrom, query.addedBefore].map((text) =>
      text === undefined ? undefined : Date.parse(text),
    );
    return { equal, q: query.q, addedFrom, addedBefore };
  }

  /** Counts the matches. An estimate is never below the number already found. */
  async function countAll(store: Pick<Records, 'countAll'>, filter: ListFilter, found: number) {
    const { count, isEstimate } = await store.countAll(filter);
    return isEstimate ? { total: Math.max(count, found), totalIsEstimate: true as const } : { total: count };
  }

  function showChange({ record, at }: RecordChange<Fields>) {
    const { id } = record;
    const identity = { id, idText: id.toString() };
    const time = at === undefined ? {} : { at: toIsoTime(at) };
    if (isTombstone(record)) return { kind: 'deleted' as const, ...identity, ...time };
    const kind = record.original === undefined ? ('created' as const) : ('updated' as const);
    return { kind, ...identity, ...nameShown(show(record)), ...time };
  }

  const showState = ({ fields, from, until, by }: RecordState<Fields>) => ({
    ...pick(fields),
    ...(from !== undefined && { from: toIsoTime(from) }),
    ...(until !== undefined && { until: toIsoTime(until) }),
    ...(by !== undefined && { by }),
  });

  /**
   * Returns shown records with `addedBy` and `changedBy`. A record that has changed since it was read stays without them. Does not modify
   * the given records, because other replies may share them.
   */
  async function showPeople<ShownRecord extends Shown<Fields>>(
    store: PeopleReader<Fields>,
    shown: readonly ShownRecord[],
  ): Promise<readonly ShownRecord[]> {
    if (shown.length === 0) return shown;
    const people = await store.findHistory([...new Set(shown.map(({ idText }) => BigInt(idText)))]);
    const peopleById = new Map(people.map((entry) => [entry.record.id.toString(), entry]));
    return shown.map((shownRecord) => {
      const { record, addedBy, changedBy } = peopleById.get(shownRecord.idText) ?? {};
      if (record === undefined || isTombstone(record)) return shownRecord;
      if (comparableText(show(record)) !== comparableText(shownRecord)) return shownRecord;
      return { ...shownRecord, addedBy, ...(record.original !== undefined && { changedBy }) };
    });
  }

  const operations = {
    resource,
    columns,
    show,
    isReplay,
    withFields,
    entityTagOf,
    requireBatch,
    showPeople,

    /** Creates a record. The ID is also the idempotency key: creating the same record again is a replay, which stores nothing. */
    async create(store: Pick<Records, 'create'>, record: New<Fields>) {
      const outcome = await store.create(record);
      const { addedAt = null } = outcome.stored ? outcome : requireReplay(outcome.existing, record);
      const body = pick(record);
      // Even for a replay, the ETag identifies the record as created. It is outdated if the record has changed since.
      const etag = entityTagOf({ ...body, addedAt });
      return { status: 200, body, replayed: !outcome.stored, etag } as const;
    },

    /** Creates the records of a batch, each as `create` does. Records with the same ID are created in order. */
    createMany(store: Pick<Records, 'create'>, batch: Batch) {
      requireBatch(batch);
      const orderedStore = { create: inOrder(store.create) };
      return runBatch(batch, async (item) => {
        const { status, replayed, etag } = await operations.create(orderedStore, readRecord(item));
        return { status, replayed, etag };
      });
    },

    /** Returns a record. If a condition of the request is false, returns a 304 or throws `precondition_failed` (RFC 9110, section 13.1). */
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
     * Returns the records with the IDs of a batch. Reads a few at a time. When the reply is full, the remaining results are `overloaded`.
     * At least one record is returned.
     */
    async getMany(store: Pick<Records, 'find'>, batch: Batch) {
      requireBatch(batch);
      const { items } = batch;
      const results: ({ readonly status: 200 } | ServiceError)[] = [];
      const budget = createReplyBudget();
      while (results.length < items.length) {
        const chunk = items.slice(results.length, results.length + readConcurrency);
        const found = await runBatch({ ...batch, items: chunk }, async (item) => {
          const id = readId(item);
          budget.spend(0);
          const record = await findOne(store, id);
          budget.spend(bytesOf(record));
          return { status: 200 as const, ...nameShown(show(record)), etag: entityTagOf(record) };
        });
        results.push(...found);
      }
      return results;
    },

    /**
     * Replaces the fields of a record if the conditions of the request are true (RFC 9110, section 13.1). With `If-None-Match: *` it reuses
     * the ID of a deleted record. If the record already has the fields, the request succeeds even if `If-Match` is false, because an
     * earlier attempt could have updated the record (section 13.1.1).
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
      const record = after ?? before;
      if (record === undefined || isTombstone(record))
        throw reusesId ? new ServiceError(errorNames.notFound, texts.idNeverUsed(id)) : notFound(id);
      if (after === undefined) {
        if (reusesId) throw new ServiceError('precondition_failed', texts.exists(id));
        const failed = findFailed(conditions, record);
        if (failed !== undefined && !(failed === 'if-match' && isSame(record, fields)))
          throw conditionFailed(failed, id);
      }
      return { status: 200, body: show(record), etag: entityTagOf(record) };
    },

    /**
     * Updates the records of a batch, each as `update` does with `If-Match`. Updates of the same ID are applied in order. Records that do
     * not fit into the reply are not updated.
     */
    updateMany(
      store: Pick<Records, 'change'>,
      batch: Batch,
    ): Promise<({ readonly status: 200 } | ServiceError)[]> {
      requireBatch(batch);
      const orderedStore = { change: inOrder(store.change) };
      const budget = createReplyBudget();
      return runBatch(batch, async (item) => {
        const record = readRecord(item);
        const condition = readCondition((item as { readonly ifMatch?: unknown }).ifMatch);
        if (condition['if-match'] === undefined)
          throw new ServiceError('precondition_required', texts.itemIfMatchRequired);
        budget.spend(bytesOf(record));
        const {
          status,
          body,
          etag = '',
        } = await operations.update(orderedStore, record.id, record, condition);
        return { status, ...nameShown(body), etag };
      });
    },

    /** Deletes a record. Deleting it again does nothing. */
    async delete(
      store: Pick<Records, 'change'>,
      id: bigint,
      conditions: Conditions = {},
    ): Promise<Reply<204, undefined>> {
      await removeOne(store, id, conditions);
      return { status: 204, body: undefined };
    },

    /**
     * Deletes the records with the IDs of a batch, each as `delete` does. Deletes of the same ID are applied in order.
     *
     * @param ifMatch the conditions, in the order of the IDs
     */
    deleteMany(store: Pick<Records, 'change'>, batch: Batch, ifMatch: readonly unknown[] = []) {
      requireBatch(batch);
      const orderedStore = { change: inOrder(store.change) };
      return runBatch(batch, async (item, index) => {
        const id = readId(item);
        await removeOne(orderedStore, id, readCondition(ifMatch[index]));
        return { status: 204 as const };
      });
    },

    /**
     * Returns a page of the records that match a query: as many as requested, or as fit into a reply. A page that takes too long ends
     * early, and is `partial`.
     *
     * @throws {ServiceError} `bad_request` when `after` is not the `next` of a page of this query, or the search took too long without a
     * match
     */
    async list(store: Pick<Records, 'list' | 'countAll'>, query: RecordQuery, pace: Pace) {
      const { limit = defaultLimit, after, total } = query;
      const start = cursors.read(query, after);
      if (start === undefined) throw new ServiceError('bad_request', messages.invalidCursor);
      const filter = filterOf(query);
      const hasTimeBound = filter.addedFrom !== undefined || filter.addedBefore !== undefined;
      // A record without a time does not match a time bound.
      const orders = hasTimeBound
        ? start.orders.filter((order) => partsOfOrder(order).by !== 'untimed')
        : start.orders;
      const records: Stored<Fields>[] = [];
      let readMs = 0;
      // The position is in the first part of the list, which a time bound can exclude.
      let position = orders[0] === start.orders[0] ? start.position : undefined;
      /** Where a full page ends if there are more records: after the last record of a part, or after the records examined since. */
      let end: ListPosition | undefined;
      const toPage = async (next: ListPosition | undefined, more?: object) => {
        const isComplete = after === undefined && next === undefined;
        return {
          records,
          next: next && cursors.write(query, next),
          readMs,
          ...(total &&
            (isComplete
              ? { total: records.length }
              : await countAll(store, filter, records.length + (next === undefined ? 0 : 1)))),
          ...more,
        };
      };
      for (const order of orders) {
        for (;;) {
          const partLimits = pace.limits();
          // If a full page ends at the end of a part, one more record shows whether there is a next page.
          const isFull = records.length === limit;
          const limits = {
            ...partLimits,
            bytes: records.reduce((remaining, record) => remaining - bytesOf(record), partLimits.bytes),
            matches: isFull ? 1 : limit - records.length,
          };
          const listed = await store.list({ ...filter, order, after: position }, limits);
          readMs += listed.readMs ?? 0;
          if (isFull && listed.records.length > 0) return toPage(end);
          records.push(...listed.records);
          position = listed.last;
          if (position === undefined) break;
          if (!listed.isLate) return toPage(position);
          if (readMs > (pace.maxMs ?? Number.POSITIVE_INFINITY)) {
            if (records.length > 0) return toPage(position, records.length < limit ? { partial: true } : {});
            throw new ServiceError('bad_request', texts.listTooLong(cursors.write(query, position)));
          }
          end = position;
          await pace.nextTurn?.();
        }
        const last = records.at(-1);
        end = last && { id: last.id, addedAt: last.addedAt ?? undefined };
      }
      return toPage(undefined);
    },

    /** Returns a page of a list as replies show it: with the records as shown to the caller, or only with their IDs. */
    showPage(
      page: { readonly records: readonly Stored<Fields>[]; readonly [More: string]: unknown },
      { fields }: Pick<RecordQuery, 'fields'>,
      shown: readonly Shown<Fields>[] = page.records.map(show),
    ) {
      const { records, readMs, ...others } = page;
      return fields === 'id'
        ? { [resource.plural]: [], ids: records.map(({ id }) => id.toString()), ...others }
        : { [resource.plural]: shown, ...others };
    },

    /**
     * Returns a page of a text field's values, in order, with the number of records for each.
     *
     * @throws {ServiceError} `bad_request` when `after` is not the `next` of a page
     */
    async count(
      store: Pick<Records, 'countValues'>,
      field: string,
      { after }: { readonly after?: string | undefined },
    ) {
      const start = after === undefined ? undefined : readCountCursor(field, after);
      if (after !== undefined && start === undefined)
        throw new ServiceError('bad_request', messages.invalidCursor);
      const { counts, hasMore, readMs } = await store.countValues(field, start, maxValues);
      const values = counts.map(([value]) => value);
      const { count, cursor } = hasMore
        ? writeCountCursor(field, values)
        : { count: values.length, cursor: undefined };
      return {
        body: {
          [`${field}s`]: counts
            .slice(0, count)
            .map(([value, records]) => ({ [field]: value, [resource.plural]: records })),
          next: cursor,
        },
        readMs,
      };
    },

    /**
     * Returns the changes after a position, in order. If there are no more, the page is empty, and its `next` is the same as `after`.
     *
     * @throws {ServiceError} `bad_request` when `after` is not the `next` of a page, and `cursor_expired` when it is from before a restore
     */
    async changes(
      store: Pick<Records, 'listChanges'>,
      { after, limit = defaultLimit }: { readonly after: string; readonly limit?: number | undefined },
      pace: Pace,
    ) {
      const position = after === '0' ? undefined : readChangeCursor(after);
      if (position === undefined && after !== '0')
        throw new ServiceError('bad_request', messages.invalidChangeCursor);
      const read = (from: ChangePosition | undefined) =>
        store.listChanges(from, { ...pace.limits(), matches: limit });
      let page = await read(position);
      while (page.changes.length === 0 && page.hasMore) {
        await pace.nextTurn?.();
        page = await read(page.last);
      }
      const { changes, last, readMs } = page;
      return { changes: changes.map(showChange), next: writeChangeCursor(last), readMs };
    },

    /** Like `showPeople`, for objects that have a record under the resource's name. Other objects stay unchanged. */
    async showPeopleInEach<Item extends object>(
      store: PeopleReader<Fields>,
      items: readonly Item[],
    ): Promise<readonly Item[]> {
      const recordOf = (item: Item) => (item as Partial<Named<Fields>>)[resource.name];
      const shown = await showPeople(
        store,
        items.flatMap((item) => recordOf(item) ?? []),
      );
      const rest = shown.values();
      return items.map((item) =>
        recordOf(item) === undefined ? item : { ...item, [resource.name]: rest.next().value },
      );
    },

    /**
     * Returns the states of a record, the latest first.
     *
     * @param showsPeople whether to include who created or updated the record to each state
     * @throws {ServiceError} `bad_request` when `after` is not the `next` of a page about this record
     */
    async history(
      store: Pick<Records, 'listStates'>,
      id: bigint,
      {
        after,
        limit = defaultLimit,
      }: { readonly after?: string | undefined; readonly limit?: number | undefined },
      { limits }: Pace,
      showsPeople: boolean,
    ) {
      const start = after === undefined ? undefined : readStateCursor(id, after);
      if (after !== undefined && start === undefined)
        throw new ServiceError('bad_request', messages.invalidCursor);
      const listed = await store.listStates(id, start, { ...limits(), matches: limit });
      if (listed === undefined) throw notFound(id);
      const { states, next } = listed;
      return {
        states: states.map((state) => showState(showsPeople ? state : { ...state, by: undefined })),
        next: next === undefined ? undefined : writeStateCursor(id, next),
      };
    },

    /** Returns the cursor of the current position. Only later changes follow it. */
    latest: async (store: Pick<Records, 'lastChange'>): Promise<string> =>
      writeChangeCursor(await store.lastChange()),
  };
  return operations;
}

export type Operations<Fields extends object> = ReturnType<typeof operationsOf<Fields>>;

/**
 * Runs an action for each item of a batch, concurrently.
 *
 * @returns the result or error of each item, in order. An error does not stop the others.
 */
export async function runBatch<Result>(
  { items, awaitTurn = async (remaining) => remaining }: Batch,
  runOne: (item: unknown, index: number) => Promise<Result>,
): Promise<(Result | ServiceError)[]> {
  const results: Promise<Result | ServiceError>[] = [];
  while (results.length < items.length) {
    const count = await awaitTurn(items.length - results.length);
    for (const item of items.slice(results.length, results.length + count))
      results.push(runOne(item, results.length).catch(toServiceError));
  }
  return Promise.all(results);
}

/** Returns the body of the reply to a batch. An error has the same members as in a separate reply. */
export const showResults = (results: readonly (object | ServiceError)[]) => ({
  results: results.map((result) =>
    result instanceof ServiceError ? { status: result.status, ...result.body } : result,
  ),
});

/** Returns a shown record as text, for comparison. */
const comparableText = (shown: object) =>
  JSON.stringify(shown, (_, value) => (typeof value === 'bigint' ? String(value) : value));

function toServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : internalError(error);
}

/**
 * Returns a write that starts only after earlier writes of the same ID have ended, because a store can commit concurrent writes in any
 * order.
 */
function inOrder<Write extends { readonly id: bigint }, Outcome>(
  write: (item: Write) => Promise<Outcome>,
): (item: Write) => Promise<Outcome> {
  const last = new Map<bigint, Promise<unknown>>();
  return (item) => {
    const previous = last.get(item.id);
    const written = previous === undefined ? write(item) : previous.then(() => write(item));
    // An error affects only its item.
    last.set(
      item.id,
      written.catch(() => undefined),
    );
    return written;
  };
}
