import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import type { Operations, Precondition, ReadOperation } from '@plant-store/contract/operations';
import type { BodyOf, Client, ErrorOf, OperationName, ReplyOf, RequestOf } from './client.js';
import type { DataTag } from './data-tag.js';
import { type Changes, type Edit, saveEdit } from './edit.js';
import type { CallOptions } from './options.js';
import type { Reply } from './read-reply.js';
import { ensureSuccess, type SuccessOf, unwrap } from './unwrap.js';
import type { RequestParts } from './write-request.js';

export type { DataTag } from './data-tag.js';
export { deserialize, serialize } from './serialize.js';

/** The options of each operation for TanStack Query, by the operation's name. */
export type TanstackQueryUtils = { readonly [Name in OperationName]: OperationUtils<Name> };

/** Identifies the store and the user whose data a key names. */
export interface KeyOwner {
  /** Names the store. Default: the client's `baseUrl`. A page and the server that renders it must use the same name. */
  readonly store: string;
  /** Names the user. You need it if different users use the same `QueryClient`, because the key does not contain the token. */
  readonly user?: string | undefined;
}

/**
 * Creates options for TanStack Query 5 from a client, for each of its operations. They are plain data and functions, so they work with
 * every adapter: React, Vue, Solid, Svelte.
 *
 * A mutation fails with a `RejectedError` when the service rejects the request. The type of its `error` lists the errors of the operation.
 * A mutation fails with another `PlantStoreError` when no reply came. `retry` never retries, whatever the defaults of the `QueryClient`,
 * because the client already retries according to its options. `networkMode` is that of the `QueryClient`.
 *
 * @param owner the prefix of the keys, so that stores and users never share data
 * @throws {TypeError} when `client` is a copy such as `{ ...client }`, which has no `baseUrl`, and `store` is not given
 *
 * @example
 * import { useMutation } from '@tanstack/react-query';
 * import { createClient, errors, isRejectedError } from '@plant-store/client';
 * import { createTanstackQueryUtils } from '@plant-store/client/tanstack-query';
 *
 * const plantStore = createTanstackQueryUtils(createClient({ baseUrl: location.origin, token: 'pst_…' }));
 *
 * const { mutate, data, error } = useMutation(plantStore.createPlant.mutationOptions());
 * mutate({ body: { id: 13_001, name: 'Rose' } });
 * if (isRejectedError(error, errors.id_taken.error)) chooseAnotherId();
 */
export function createTanstackQueryUtils(
  client: Client,
  { store = client.baseUrl, user }: Partial<KeyOwner> = {},
): TanstackQueryUtils {
  // A copy of a client has only its operations.
  if (!store) throw new TypeError('The client has no baseUrl. Pass { store } with a name for the query keys');
  const utils: Record<string, unknown> = Object.fromEntries(
    Object.entries<AnyOperation>(Object(client)).map(([name, operation]) => [
      name,
      createUtils(client, ['plant-store', { store, user }, name], operation),
    ]),
  );
  return utils as TanstackQueryUtils;
}

/** @param prefix the prefix of all keys of the operation */
function createUtils(client: Client, prefix: readonly unknown[], operation: AnyOperation) {
  const retry = () => false;
  /** Returns the symbol `skipToken` unchanged, because TanStack Query recognizes it by its identity. */
  const queryFn = (request: object | symbol | undefined, partsOf: (context: QueryContext) => object) =>
    typeof request === 'symbol'
      ? request
      : (context: QueryContext) =>
          unwrap(operation({ ...request, ...partsOf(context), signal: context.signal }));
  return {
    queryKey: (request?: object) => keyOf(prefix, request),
    queryOptions: (request?: object | symbol) => ({
      queryKey: keyOf(prefix, request),
      queryFn: queryFn(request, () => ({})),
      retry,
    }),
    infiniteQueryKey: (request?: object) => keyOf(prefix, request, 'pages'),
    infiniteQueryOptions: (request?: RequestParts | symbol) => {
      const { query } = Object(request);
      return {
        queryKey: keyOf(prefix, request, 'pages'),
        queryFn: queryFn(request, ({ pageParam: after }) => ({ query: { ...query, after } })),
        initialPageParam: query?.after,
        getNextPageParam: ({ next }: { next?: string }) => next,
        retry,
      };
    },
    mutationOptions: (options?: { readonly select: (reply: Reply) => unknown }) => ({
      mutationKey: prefix,
      mutationFn: (request: MutationParts | undefined) => {
        const reply = mutate(client, operation, request);
        return options ? reply.then(ensureSuccess).then(options.select) : unwrap(reply);
      },
      retry,
    }),
  };
}

/** The arguments of a mutation of any operation. */
type MutationParts = RequestParts & Partial<EditRequest>;

/** @throws {TypeError} when an update has a condition that is not from an edit */
async function mutate(client: Client, operation: AnyOperation, request: MutationParts = {}): Promise<Reply> {
  const { edit, changes = {}, ...options } = request;
  const hasCondition =
    request.ifMatch ||
    Object.entries(request.headers ?? {}).some(
      ([header, value]) => /^if-match$/i.test(header) && value !== '*',
    );
  if (hasCondition && (edit ?? request.body) !== undefined) {
    throw new TypeError(
      'The condition may be newer than what the user saw, because queries refetch. Call startEdit ' +
        "when the form opens, and pass { edit, changes }. To overwrite any state, pass '*'",
    );
  }
  return edit ? saveEdit(client, edit, changes, options) : operation(request);
}

/** The context that TanStack Query passes to a query function. */
interface QueryContext {
  readonly signal: AbortSignal;
  readonly pageParam?: unknown;
}

/**
 * Returns a key: the prefix, and the request without the options of the call. Requests for the same data share a key. A skipped query has a
 * separate key that never has data. Otherwise it would show the data of the query without a request.
 */
function keyOf(prefix: readonly unknown[], request: object | symbol = {}, ...kind: readonly string[]) {
  const requestKey = typeof request === 'symbol' ? 'skipped' : toRequestKey(request);
  const isPrefix = kind.length === 0 && Object.keys(requestKey).length === 0;
  return isPrefix ? prefix : [...prefix, requestKey, ...kind];
}

/**
 * Returns the non-empty parts of a request, with all values as text, because TanStack Query cannot hash a `bigint`.
 *
 * @throws {TypeError} when the request is for another store or user than the key names
 * @throws {RangeError} when an integer `number` may have been rounded
 */
function toRequestKey({ params, query, body, baseUrl, token }: RequestParts & CallOptions) {
  if (baseUrl ?? token) {
    throw new TypeError(
      'A query accepts neither baseUrl nor token. Pass client.withOptions({ baseUrl, token }) to ' +
        'createTanstackQueryUtils, with { user }',
    );
  }
  const parts = { params, query, body };
  // Called only for its errors.
  stringifyExactJson(parts);
  const texts: object = JSON.parse(JSON.stringify(parts, toText));
  return Object.fromEntries(Object.entries(texts).filter(([, part]) => Object.keys(part).length > 0));
}

/** A replacer for `JSON.stringify`. */
function toText(this: Readonly<Record<string, unknown>>, name: string, json: unknown): unknown {
  // JSON.stringify has already called `toJSON`, which in some programs rounds a bigint.
  const value = typeof this[name] === 'bigint' ? this[name] : json;
  return typeof value === 'object' ? value : value?.toString();
}

// biome-ignore lint/suspicious/noExplicitAny: only `any` accepts the parameters of every operation
type AnyOperation = (request: any) => Promise<Reply>;

/** The options for a mutation in TanStack Query's adapters, such as `useMutation` in React. */
export interface OperationMutationOptions<Name extends OperationName, Data> {
  readonly mutationKey: readonly ['plant-store', KeyOwner, Name];
  /** Takes the request of the operation, `{ body, signal?, … }`, or for an update `{ edit, changes }`. */
  readonly mutationFn: (request: MutationRequest<Name>) => Promise<Data>;
  /** Never retries, because the client already does. */
  readonly retry: (failureCount: number, error: ErrorOf<Name>) => false;
}

/** The request to save an edit, with the options of the calls. */
export interface EditRequest extends CallOptions {
  /** The result of `startEdit` when the form opened. */
  readonly edit: Edit;
  readonly changes: Changes;
  /** Not used: the edit already has the condition. */
  readonly ifMatch?: never;
}

/**
 * The request of a mutation is the request of its operation. An operation with a precondition takes an edit instead, because the data of a
 * query can be newer than the data that the user saw. With the condition `*`, it overwrites any state, or restores a deleted plant.
 */
export type MutationRequest<Name extends OperationName> = Operations[Name] extends {
  readonly headers: Precondition;
}
  ? EditRequest | OverwriteRequest<Name>
  : Parameters<Client[Name]>[0];

/** A request whose condition is `*` instead of an `ETag`. */
export type OverwriteRequest<Name extends OperationName> = Omit<RequestOf<Name>, 'headers' | 'ifMatch'> &
  OverwriteCondition;

/** `if-match` overwrites any state, and `if-none-match` restores a deleted plant. An `ETag` is part of an edit. */
interface OverwriteCondition {
  readonly headers:
    | { readonly 'if-match': '*'; readonly 'if-none-match'?: never }
    | { readonly 'if-none-match': '*'; readonly 'if-match'?: never };
  readonly ifMatch?: never;
}

/** Converts a successful reply to the data of a mutation. */
export interface SelectOptions<Name extends OperationName, Data> {
  readonly select: (reply: SuccessOf<ReplyOf<Name>>) => Data;
}

/**
 * The request of a query is the request of its operation, without `signal`, because TanStack Query provides one, and without `baseUrl` and
 * `token`, because the key names the store and the user. For another store or user, pass `client.withOptions({ baseUrl, token })` to
 * `createTanstackQueryUtils`.
 */
export type QueryRequest<Name extends ReadOperation> = Omit<RequestOf<Name>, 'baseUrl' | 'token' | 'signal'>;

/**
 * The key of a query, which is plain JSON: `['plant-store', owner, name, request?]`. TanStack Query infers the data from it. Without a
 * request it is the prefix of all keys of the operation.
 */
export type OperationQueryKey<Name extends ReadOperation> = KeyOf<Name> & DataTag<BodyOf<Name>>;

/** The key of a query of pages, which is plain JSON: `['plant-store', owner, name, request, 'pages']`. */
export type OperationInfiniteQueryKey<Name extends ReadOperation> = KeyOf<Name> & DataTag<PagesOf<Name>>;

type KeyOf<Name> = readonly ['plant-store', KeyOwner, Name, ...unknown[]];

/** TanStack Query's `InfiniteData`. */
export interface PagesOf<Name extends ReadOperation> {
  pages: BodyOf<Name>[];
  pageParams: (string | undefined)[];
}

/** The options for a query in TanStack Query's adapters, such as `useQuery` in React. */
export interface OperationQueryOptions<Name extends ReadOperation, Skip extends symbol = never> {
  readonly queryKey: OperationQueryKey<Name>;
  readonly queryFn: ((context: { readonly signal: AbortSignal }) => Promise<BodyOf<Name>>) | Skip;
  /** Never retries, because the client already does. */
  readonly retry: (failureCount: number, error: ErrorOf<Name>) => false;
  /** Never set. `useQueries` infers the type of the error from this member only. */
  readonly throwOnError?: (error: ErrorOf<Name>) => boolean;
}

/** The options for a query of pages in TanStack Query's adapters, such as `useInfiniteQuery` in React. */
export interface OperationInfiniteQueryOptions<Name extends PagedOperation, Skip extends symbol = never>
  extends Omit<OperationQueryOptions<Name>, 'queryKey' | 'queryFn'> {
  readonly queryKey: OperationInfiniteQueryKey<Name>;
  readonly queryFn:
    | ((context: {
        readonly signal: AbortSignal;
        readonly pageParam: string | undefined;
      }) => Promise<BodyOf<Name>>)
    | Skip;
  readonly initialPageParam: string | undefined;
  readonly getNextPageParam: (page: BodyOf<Name>) => string | undefined;
}

/** The operations that return pages. */
type PagedOperation = {
  [Name in ReadOperation]: 'next' extends keyof BodyOf<Name> ? Name : never;
}[ReadOperation];

/** The arguments of an operation, with another type of request. */
type ArgumentsOf<Name extends OperationName, Request> =
  [] extends Parameters<Client[Name]> ? [] | [request: Request] : [request: Request];

/**
 * A request, or a union of a request and `skipToken`. If there is no `skipToken`, it is only the request, so that the compiler checks its
 * members.
 */
type Skippable<Given, Request> = [Extract<Given, symbol>] extends [never] ? Request : Given;

/** The options of an operation for TanStack Query: for queries only if it reads, and for queries of pages only if it returns pages. */
export type OperationUtils<Name extends OperationName> = Name extends PagedOperation
  ? PagedUtils<Name>
  : Name extends ReadOperation
    ? QueryUtils<Name>
    : MutationUtils<Name>;

/** The options of an operation that writes. */
export interface MutationUtils<Name extends OperationName> {
  /** The data of the mutation is the body of the reply, such as the plant, or the result of `select`. */
  mutationOptions(): OperationMutationOptions<Name, BodyOf<Name>>;
  mutationOptions<Data>(options: SelectOptions<Name, Data>): OperationMutationOptions<Name, Data>;
}

/** The options of an operation that reads. As a mutation, it reads once, and nothing refetches the data. */
export interface QueryUtils<Name extends ReadOperation> extends MutationUtils<Name> {
  /** The prefix of the keys of all queries of the operation, including those of pages. Use it to invalidate them. */
  queryKey(): [] extends Parameters<Client[Name]>
    ? OperationQueryKey<Name>
    : readonly ['plant-store', KeyOwner, Name];
  /** The key of one query, to read, set, or invalidate its data. As a filter, it also matches queries with additional parameters. */
  queryKey(request: QueryRequest<Name>): OperationQueryKey<Name>;
  /**
   * The data of the query is the body of the reply. With TanStack Query's `skipToken` in place of the request, the query waits until you
   * pass a request.
   *
   * @throws {TypeError} when the request has a `baseUrl` or a `token`
   * @throws {RangeError} when an integer `number` may have been rounded
   */
  queryOptions<Given extends QueryRequest<Name> | symbol = QueryRequest<Name>>(
    ...request: ArgumentsOf<Name, Skippable<Given, QueryRequest<Name>>>
  ): OperationQueryOptions<Name, NoInfer<Extract<Given, symbol>>>;
}

/** The options of an operation that returns pages. */
export interface PagedUtils<Name extends PagedOperation> extends QueryUtils<Name> {
  /**
   * The key of a query of pages. Without a request, it is the key of the query without parameters; as a filter, it matches all queries of
   * pages.
   */
  infiniteQueryKey(request?: QueryRequest<Name>): OperationInfiniteQueryKey<Name>;
  /** The data of the query is the pages. The `next` of each page is the start of the following page. */
  infiniteQueryOptions<Given extends QueryRequest<Name> | symbol = QueryRequest<Name>>(
    ...request: ArgumentsOf<Name, Skippable<Given, QueryRequest<Name>>>
  ): OperationInfiniteQueryOptions<Name, NoInfer<Extract<Given, symbol>>>;
}
