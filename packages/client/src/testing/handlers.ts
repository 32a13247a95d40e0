import {
  INT64_MAX,
  INT64_MIN,
  Int64ParameterSchema,
  MAX_PLANTS,
  NewPlantSchema,
} from '@plant-store/contract';
import {
  accessTokenChecksum,
  accessTokenPrefix,
  accessTokenSecretLength,
  scopes as allScopes,
  type Scope,
} from '@plant-store/contract/access-token';
import { type Conditions, findFailedCondition } from '@plant-store/contract/conditions';
import {
  hashText,
  readChangeCursor,
  readCursor,
  readTagCursor,
  writeChangeCursor,
  writeCursor,
} from '@plant-store/contract/cursor';
import { fieldsOf, hasSameFields, plantFilters, plantSearches } from '@plant-store/contract/fields';
import { foldText, hasText } from '@plant-store/contract/fold-text';
import { explainInvalidRequest, messages } from '@plant-store/contract/messages';
import type {
  Change,
  IssuedToken,
  NewToken,
  Operations,
  Plant,
  PlantQuery,
  StoredPlant,
  Token,
} from '@plant-store/contract/operations';
import { hasEnded, type ValidRequest } from './read-request.js';
import { ServiceError } from './reply.js';

/** How the fake answers each operation. */
export const handlers: { readonly [Name in keyof Operations]: Handler<Name> } = {
  createPlant({ body }, state) {
    const { plant, replayed } = create(body, state);
    const headers = {
      ETag: entityTagOf(state.times.get(body.id), plant),
      ...(replayed && { 'Idempotent-Replayed': 'true' }),
    };
    return { status: 200, body: plant, headers };
  },

  createPlants({ body: { plants } }, state) {
    return runBatch(plants, (plant) => {
      const { data, error } = NewPlantSchema.safeParse(plant);
      if (data !== undefined) return { status: 200, replayed: create(data, state).replayed };
      const { errorName, message } = explainInvalidRequest({ body: error.issues });
      throw new ServiceError(errorName, message);
    });
  },

  getPlants({ body: { ids } }, state) {
    return runBatch(ids, (id) => ({ status: 200, plant: get(readId(id), state) }));
  },

  deletePlants({ body: { ids } }, state) {
    return runBatch(ids, (id) => {
      remove(readId(id), state);
      return { status: 204 };
    });
  },

  updatePlant({ params: { id }, headers, body }, state) {
    const { 'if-match': match, 'if-none-match': noneMatch } = headers;
    if (match === undefined && !noneMatch)
      throw new ServiceError('precondition_required', messages.preconditionRequired);
    const reusesId = match === undefined && noneMatch === '*';
    const { plants, times, deleted, originals } = state;
    const fields = fieldsOf(body);
    const existing = plants.get(id);
    if (existing === undefined) {
      if (!reusesId || !deleted.delete(id))
        throw new ServiceError(
          'plant_not_found',
          reusesId ? messages.idNeverUsed(id) : messages.plantNotFound(id),
        );
      times.set(id, Date.now());
    } else {
      if (reusesId) throw new ServiceError('precondition_failed', messages.plantExists(id));
      const failed = findFailed(headers, id, state);
      if (failed !== undefined && !(failed === 'if-match' && hasSameFields(existing, fields)))
        throw conditionFailed(failed, id);
    }
    if (existing === undefined || !hasSameFields(existing, fields)) {
      if (existing !== undefined && !originals.has(id)) originals.set(id, existing);
      plants.set(id, fields);
      noteChange(id, state);
    }
    return showWithTag(id, state);
  },

  deletePlant({ params: { id }, headers }, state) {
    const failed = findFailed(headers, id, state);
    if (failed !== undefined) throw conditionFailed(failed, id);
    remove(id, state);
    return { status: 204, body: undefined };
  },

  getPlant: ({ params: { id } }, state) => showWithTag(id, state),

  listPlants({ query }, state) {
    const { limit = 100, after } = query;
    const all = listMatching(query, state);
    const position = after === undefined ? undefined : readCursor(query, after);
    if (after !== undefined && position === undefined) {
      throw new ServiceError('bad_request', messages.invalidCursor);
    }
    const start = position === undefined ? 0 : all.findIndex(({ id }) => id === position.id) + 1;
    const plants = all.slice(start, start + limit);
    const last = plants.at(-1);
    const hasMore = last !== undefined && start + limit < all.length;
    const next = hasMore ? writeCursor(query, { id: last.id, addedAt: state.times.get(last.id) }) : undefined;
    return { status: 200, body: { plants, next } };
  },

  listTags({ query: { after } }, { plants }) {
    const start = after === undefined ? undefined : readTagCursor(after);
    if (after !== undefined && start === undefined)
      throw new ServiceError('bad_request', messages.invalidCursor);
    const counts = new Map<string, number>();
    for (const [id, { tag }] of plants) {
      if (tag !== undefined && (start === undefined || id > start))
        counts.set(tag, (counts.get(tag) ?? 0) + 1);
    }
    const tags = [...counts].map(([tag, count]) => ({ tag, plants: count }));
    return { status: 200, body: { tags: tags.toSorted((a, b) => (a.tag < b.tag ? -1 : 1)) } };
  },

  listChanges({ query: { limit = 100, after } }, state) {
    const { generation } = state;
    const all = [...state.changes.entries()].map(([id, change]) => ({ generation, id, ...change }));
    const latest = all.at(-1) ?? { generation, number: 0, id: INT64_MAX };
    const first = { generation, number: 0, id: INT64_MIN };
    const position = after === '0' ? first : readChangeCursor(after ?? writeChangeCursor(latest));
    if (position === undefined) throw new ServiceError('bad_request', messages.invalidChangeCursor);
    const { number: start = 0 } = position;
    if (position.generation !== generation || start > latest.number)
      throw new ServiceError('cursor_expired', messages.cursorExpired);
    const changes = all.filter(({ number }) => number > start).slice(0, limit);
    return {
      status: 200,
      body: {
        changes: changes.map((change) => showChange(change, state)),
        next: writeChangeCursor(changes.at(-1) ?? position),
      },
    };
  },

  getOwnToken: (_request, { own: { id, name, scopes, expiresAt, ratePerMinute } }) => ({
    status: 200,
    body: {
      ...{ id, name, scopes },
      ...(expiresAt !== undefined && { expiresAt }),
      ...(ratePerMinute !== undefined && { ratePerMinute }),
    },
  }),

  listTokens: (_request, { own, tokens }) => ({
    status: 200,
    body: { tokens: [...(tokens.has(own.id) ? [] : [own]), ...tokens.values()].map(showToken) },
  }),

  createToken: ({ body }, state) => ({ status: 200, body: issue(body, state) }),

  rotateToken({ params: { id }, body: { overlapSeconds, expiresAt } }, state) {
    const { tokens } = state;
    const old = tokens.get(id);
    if (old === undefined) throw new ServiceError('token_not_found', messages.tokenNotFound(id));
    if (hasEnded(old)) throw new ServiceError('token_inactive', messages.tokenInactive(id));
    const { name, scopes, ratePerMinute } = old;
    const { own } = state;
    const sameMs = Date.parse(old.expiresAt ?? '') - Date.parse(old.createdAt) + Date.now();
    const expiryMs = Math.min(
      ...[sameMs, Date.parse(own.expiresAt ?? '')].filter((time) => !Number.isNaN(time)),
    );
    const same = Number.isFinite(expiryMs) ? new Date(expiryMs).toISOString() : undefined;
    const issued = issue({ name, scopes, ratePerMinute, expiresAt: expiresAt ?? same }, state);
    const limit = new Date(Date.now() + overlapSeconds * 1_000).toISOString();
    if (overlapSeconds === 0) tokens.set(id, { ...old, revokedAt: limit });
    else if (old.expiresAt === undefined || old.expiresAt > limit)
      tokens.set(id, { ...old, expiresAt: limit });
    return { status: 200, body: issued };
  },

  revokeToken({ params: { id } }, { tokens }) {
    const token = tokens.get(id);
    if (token === undefined) throw new ServiceError('token_not_found', messages.tokenNotFound(id));
    tokens.set(id, { revokedAt: new Date().toISOString(), ...token });
    return { status: 204, body: undefined };
  },
};

/**
 * Issues a token, which gives no more than that of the request.
 *
 * @throws {ServiceError} `exceeds_issuer`
 */
function issue(
  { name, scopes, expiresAt, ratePerMinute }: NewToken,
  { own, tokens }: RequestState,
): IssuedToken {
  const beyond = scopes.find((scope) => !own.scopes.includes(scope));
  const expiry = expiresAt ?? own.expiresAt;
  const rate = ratePerMinute ?? own.ratePerMinute;
  if (beyond !== undefined) throw new ServiceError('exceeds_issuer', messages.scopeExceedsIssuer(beyond));
  if (own.expiresAt !== undefined && Date.parse(expiry ?? '') > Date.parse(own.expiresAt))
    throw new ServiceError('exceeds_issuer', messages.expiryExceedsIssuer(own.expiresAt));
  if (own.ratePerMinute !== undefined && (rate ?? 0) > own.ratePerMinute)
    throw new ServiceError('exceeds_issuer', messages.rateExceedsIssuer(own.ratePerMinute));
  // The first one is that of the fake itself.
  const id = BigInt(tokens.size + 2);
  const body = `${accessTokenPrefix}${`Fake${id}`.padEnd(accessTokenSecretLength, '0')}`;
  const issued: IssuedToken = {
    ...{ id, name, scopes: allScopes.filter((scope) => scopes.includes(scope)) },
    createdAt: new Date().toISOString(),
    ...(expiry !== undefined && { expiresAt: new Date(expiry).toISOString() }),
    ...(rate !== undefined && { ratePerMinute: rate }),
    secret: `${body}${accessTokenChecksum(body)}`,
  };
  tokens.set(id, issued);
  return issued;
}

/** A token without its text. */
function showToken({ id, name, scopes, createdAt, expiresAt, revokedAt, ratePerMinute }: Token): Token {
  return { id, name, scopes, createdAt, expiresAt, revokedAt, ratePerMinute };
}

/** Gives a plant the last number among all changes. */
function noteChange(id: bigint, { changes }: Pick<StoreState, 'changes'>): void {
  const number = ([...changes.values()].at(-1)?.number ?? 0) + 1;
  changes.delete(id);
  changes.set(id, { number, at: Date.now() });
}

function showChange({ id, at }: { readonly id: bigint; readonly at: number }, state: StoreState): Change {
  const plant = show(id, state);
  const idText = id.toString();
  const time = new Date(at).toISOString();
  if (plant === undefined) return { kind: 'deleted', id, idText, at: time };
  return { kind: state.originals.has(id) ? 'updated' : 'created', id, idText, plant, at: time };
}

/** Stores a plant. The id is also the key of the request: the same plant again is a replay, stored once. */
function create(
  { id, ...fields }: ValidRequest<'createPlant'>['body'],
  state: StoreState,
): { readonly plant: Plant; readonly replayed: boolean } {
  const { plants, times, deleted, originals } = state;
  if (deleted.has(id)) throw new ServiceError('id_retired', messages.idRetired(id));
  const plant = fieldsOf(fields);
  const existing = plants.get(id);
  if (existing === undefined) {
    plants.set(id, plant);
    times.set(id, Date.now());
    noteChange(id, state);
    return { plant, replayed: false };
  }
  if (hasSameFields(originals.get(id) ?? existing, plant)) return { plant, replayed: true };
  throw new ServiceError('id_taken', messages.idTaken(id));
}

/** Does something with each item of a batch, and answers with what became of each. */
function runBatch<Result>(items: readonly unknown[], runOne: (item: unknown) => Result) {
  if (items.length > MAX_PLANTS)
    throw new ServiceError('batch_too_large', messages.batchTooLarge(items.length));
  const results = items.map((item) => {
    try {
      return runOne(item);
    } catch (thrown) {
      if (!(thrown instanceof ServiceError)) throw thrown;
      const { status, number, message } = thrown;
      // An item is rejected with no other one.
      return { status, error: number, message } as Result;
    }
  });
  return { status: 200 as const, body: { results } };
}

/** @throws {ServiceError} `bad_request` */
function readId(text: unknown): bigint {
  const { data } = Int64ParameterSchema.safeParse(text);
  if (data === undefined) throw new ServiceError('bad_request', messages.invalidIdText);
  return data;
}

/** @throws {ServiceError} `plant_not_found` */
function remove(id: bigint, state: StoreState): void {
  const { plants, times, deleted, originals } = state;
  if (deleted.has(id)) return;
  if (!plants.delete(id)) throw new ServiceError('plant_not_found', messages.plantNotFound(id));
  noteChange(id, state);
  times.delete(id);
  originals.delete(id);
  deleted.add(id);
}

/** @throws {ServiceError} `plant_not_found` */
function get(id: bigint, state: StoreState): StoredPlant {
  const plant = show(id, state);
  if (plant === undefined) throw new ServiceError('plant_not_found', messages.plantNotFound(id));
  return plant;
}

/** @throws {ServiceError} `plant_not_found` */
function showWithTag(id: bigint, state: StoreState) {
  const body = get(id, state);
  return {
    status: 200,
    body,
    headers: { ETag: entityTagOf(state.times.get(id), fieldsOf(body)) },
  } as const;
}

/** Differs for other plants under an id. */
function entityTagOf(addedAt: number | undefined, fields: Plant): string {
  return `"${hashText(JSON.stringify([addedAt, fields]))}"`;
}

/** The first condition that is false for the plant with an id; `undefined` if there is none. */
function findFailed(
  conditions: Conditions,
  id: bigint,
  { plants, times }: StoreState,
): keyof Conditions | undefined {
  const plant = plants.get(id);
  return plant && findFailedCondition(conditions, entityTagOf(times.get(id), fieldsOf(plant)));
}

function conditionFailed(failed: keyof Conditions, id: bigint): ServiceError {
  const message = failed === 'if-match' ? messages.plantChanged(id) : messages.plantExcluded(id);
  return new ServiceError('precondition_failed', message);
}

/** A plant as replies show it; `undefined` if there is none. */
function show(id: bigint, { plants, times }: StoreState): StoredPlant | undefined {
  const plant = plants.get(id);
  if (plant === undefined) return undefined;
  const addedAt = times.get(id);
  return {
    id,
    idText: id.toString(),
    ...plant,
    ...(addedAt !== undefined && { addedAt: new Date(addedAt).toISOString() }),
  };
}

/** The plants that match a query, in its order. */
function listMatching(query: PlantQuery, state: StoreState): StoredPlant[] {
  const { order = 'id', q = '', addedFrom, addedBefore } = query;
  const part = foldText(q);
  const timeOf = (id: bigint) => state.times.get(id) ?? -1;
  const ids = [...state.plants]
    .filter(([, plant]) =>
      plantFilters.every((name) => query[name] === undefined || query[name] === plant[name]),
    )
    .filter(([, plant]) => plantSearches.some((name) => hasText(plant[name] ?? '', part)))
    .map(([id]) => id)
    .filter((id) => addedFrom === undefined || timeOf(id) >= Date.parse(addedFrom))
    .filter((id) => addedBefore === undefined || timeOf(id) < Date.parse(addedBefore))
    .toSorted((a, b) => (a < b ? -1 : 1));
  if (order === 'newest') {
    ids.reverse().sort((a, b) => timeOf(b) - timeOf(a));
  }
  return ids.flatMap((id) => show(id, state) ?? []);
}

/** What the operations of a fake plant store work on. */
export interface StoreState {
  readonly acceptedTokens: readonly string[];
  /** What each of them permits. */
  readonly scopes: readonly Scope[];
  /** Those that requests have created, by their ids, with their texts. */
  readonly tokens: Map<bigint, IssuedToken>;
  /** Gains what requests store. */
  readonly plants: Map<bigint, Readonly<Plant>>;
  /** When each was stored, in milliseconds since 1970. */
  readonly times: Map<bigint, number>;
  /** The ids of plants that were deleted. */
  readonly deleted: Set<bigint>;
  /** What those were created as that were updated. */
  readonly originals: Map<bigint, Readonly<Plant>>;
  /** The last change of each, in their order: its number, from 1, and when it was, in milliseconds since 1970. */
  readonly changes: Map<bigint, { readonly number: number; readonly at: number }>;
  /** What positions of changes name, which are rejected once it is another one. */
  readonly generation: string;
}

/** What a request works on: the plant store, and the token of the request. */
export interface RequestState extends StoreState {
  readonly own: Token;
}

/**
 * Answers a valid request of an operation as the service does.
 *
 * @throws {ServiceError} for an error of the registry
 */
export type Handler<Name extends keyof Operations> = (
  request: ValidRequest<Name>,
  state: RequestState,
) => HandlerReply<Operations[Name]['responses']>;

type HandlerReply<Responses> = {
  [Status in keyof Responses & number]: {
    readonly status: Status;
    readonly body: Responses[Status];
    readonly headers?: Readonly<Record<string, string>>;
  };
}[keyof Responses & number];
