import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import type { Precondition } from '@plant-store/contract/operations';
import type { BodyOf, Client, ErrorOf, OperationName, ReplyOf, RequestOf } from './client.js';
import type { DataTag } from './data-tag.js';
import { type Changes, type Edit, saveEdit } from './edit.js';
import type { CallOptions } from './options.js';
import { type AnyReply, ensureSuccess, type SuccessOf, unwrap } from './unwrap.js';
import type { RequestParts } from './write-request.js';

export { deserialize, serialize } from './serialize.js';

/** The options of each operation for TanStack Query, by the operation's name. */
export type TanstackQueryUtils = { readonly [Name in OperationName]: OperationUtils<Name> };

/**
 * Creates options for TanStack Query 5 from a client, for each of its operations. They are plain data and functions, so
 * every adapter takes them: React, Vue, Solid, Svelte.
 *
 * A mutation ends with a `RejectedError` when the service rejects the request, its `number` typed by the errors that are
 * listed for the operation, and with a `PlantStoreError` when no reply came. `retry` never retries, whatever the defaults
 * of the `QueryClient` are: the client has done so, as its options say. `networkMode` stays that of the `QueryClient`.
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
export function createTanstackQueryUtils(client: Client): TanstackQueryUtils {
  const operations = Object.entries<AnyOperation>(Object(client));
  const utils: Record<string, unknown> = Object.fromEntries(
    operations.map(([name, operation]) => [name, createUtils(client, name, operation)]),
  );
  return utils as TanstackQueryUtils;
}

function createUtils(client: object, name: string, operation: AnyOperation) {
  const retry = () => false;
  /** TanStack Query recognizes the symbol `skipToken` in place of a function by its identity. */
  const queryFn = (request: object | symbol | undefined, send: (context: QueryContext) => object) =>
    typeof request === 'symbol'
      ? request
      : (context: QueryContext) =>
          unwrap(operation({ ...request, ...send(context), signal: context.signal }));
  return {
    queryKey: (request?: object) => keyOf(name, request),
    queryOptions: (request?: object | symbol) => ({
      queryKey: keyOf(name, request),
      queryFn: queryFn(request, () => ({})),
      retry,
    }),
    infiniteQueryKey: (request?: object) => keyOf(name, request, 'pages'),
    infiniteQueryOptions: (request?: RequestParts | symbol) => ({
      queryKey: keyOf(name, request, 'pages'),
      queryFn: queryFn(request, ({ pageParam: after }) => ({ query: { ...Object(request).query, after } })),
      initialPageParam: undefined,
      getNextPageParam: ({ next }: { next?: string }) => next,
      retry,
    }),
    mutationOptions: (options?: { readonly select: (reply: AnyReply) => unknown }) => ({
      mutationKey: ['plant-store', name],
      mutationFn: (request: MutationParts | undefined) => {
        const reply = mutate(client, name, operation, request);
        return options ? reply.then(ensureSuccess).then(options.select) : unwrap(reply);
      },
      retry,
    }),
  };
}

/** What a mutation of any operation may take. */
type MutationParts = RequestParts & Partial<EditRequest>;

/** @throws {TypeError} when an update names a tag that does not come from an edit */
async function mutate(
  client: object,
  name: string,
  operation: AnyOperation,
  request: MutationParts = {},
): Promise<AnyReply> {
  const { edit, changes = {}, ...options } = request;
  const hasTag = Object.entries(request.headers ?? {}).some(
    ([header, value]) => /^if-match$/i.test(header) && value !== '*',
  );
  if (hasTag && (edit ?? request.body) !== undefined) {
    throw new TypeError(
      `${name}: after a refetch, the tag in if-match is newer than what the user saw. Call ` +
        "startEdit when the form opens, and pass { edit, changes }. '*' overwrites anything",
    );
  }
  return edit ? saveEdit(client as Client, edit, changes, options) : operation(request);
}

/** What TanStack Query passes to a function that reads. */
interface QueryContext {
  readonly signal: AbortSignal;
  readonly pageParam?: unknown;
}

/**
 * What is asked for, without the options of the call. All values are texts, since TanStack Query cannot hash a `bigint`, and
 * requests for the same URL have one key. A skipped query has none that could have data: it would show it.
 */
function keyOf(name: string, request: RequestParts | symbol = {}, ...kind: readonly string[]) {
  const asked = typeof request === 'symbol' ? 'skipped' : textsOf(request);
  const isPrefix = kind.length === 0 && Object.keys(asked).length === 0;
  return ['plant-store', name, ...(isPrefix ? [] : [asked, ...kind])];
}

function textsOf({ params = {}, query = {} }: RequestParts) {
  // Only for what it throws.
  stringifyExactJson([params, query]);
  const texts: Record<string, object> = {};
  for (const [part, values] of Object.entries({ params, query })) {
    const given = Object.entries(values).filter(([, value]) => (value ?? undefined) !== undefined);
    const entries = given.map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(String) : String(value),
    ]);
    if (entries.length > 0) texts[part] = Object.fromEntries(entries);
  }
  return texts;
}

/** An operation of a client. */
// biome-ignore lint/suspicious/noExplicitAny: only so is it the type of a function with any parameter
type AnyOperation = (request: any) => Promise<AnyReply>;

/** What TanStack Query's adapters take for a mutation, `useMutation` of React's among them. */
export interface OperationMutationOptions<Name extends OperationName, Data> {
  readonly mutationKey: readonly ['plant-store', Name];
  /** Takes what the operation takes: `{ body, signal?, … }`, and for an update `{ edit, changes }`. */
  readonly mutationFn: (request: MutationRequest<Name>) => Promise<Data>;
  /** Never: the client itself retries what may be retried. */
  readonly retry: (failureCount: number, error: ErrorOf<Name>) => false;
}

/** What saves an edit, with the options of the calls. */
export interface EditRequest extends CallOptions {
  /** What `startEdit` returned when the form opened. */
  readonly edit: Edit;
  readonly changes: Changes;
}

/**
 * What a mutation takes: what the operation takes. For an operation with a precondition that is an edit, since the tag of a query may
 * be newer than what the user saw; or `'*'`, to overwrite whatever is there or to restore what was deleted.
 */
export type MutationRequest<Name extends OperationName> =
  RequestOf<Name> extends { readonly headers: Precondition }
    ? EditRequest | (RequestOf<Name> & { readonly headers: Partial<Record<keyof Precondition, '*'>> })
    : Parameters<Client[Name]>[0];

/** What turns a successful reply into the data of a mutation. */
export interface SelectOptions<Name extends OperationName, Data> {
  readonly select: (reply: SuccessOf<ReplyOf<Name>>) => Data;
}

/**
 * The key of a query, which is plain JSON. TanStack Query infers the data from it. Without a request it is
 * `['plant-store', Name]`, the beginning of all keys of the operation.
 */
export type OperationQueryKey<Name, Data> = readonly ['plant-store', Name, ...unknown[]] & DataTag<Data>;

/** What TanStack Query's adapters take for a query, `useQuery` of React's among them. */
export interface OperationQueryOptions<Name extends OperationName, Skip extends symbol = never> {
  readonly queryKey: OperationQueryKey<Name, BodyOf<Name>>;
  readonly queryFn: ((context: { readonly signal: AbortSignal }) => Promise<BodyOf<Name>>) | Skip;
  /** Never: the client itself retries what may be retried. */
  readonly retry: (failureCount: number, error: ErrorOf<Name>) => false;
  /** Never set: `useQueries` infers the type of the error from nothing else. */
  readonly throwOnError?: (error: ErrorOf<Name>) => boolean;
}

/** What TanStack Query's adapters take for a query of pages, `useInfiniteQuery` of React's among them. */
export interface OperationInfiniteQueryOptions<Name extends OperationName, Skip extends symbol = never>
  extends Omit<OperationQueryOptions<Name>, 'queryKey' | 'queryFn'> {
  readonly queryKey: OperationQueryKey<Name, PagesOf<Name>>;
  readonly queryFn:
    | ((context: {
        readonly signal: AbortSignal;
        readonly pageParam: string | undefined;
      }) => Promise<BodyOf<Name>>)
    | Skip;
  readonly initialPageParam: string | undefined;
  readonly getNextPageParam: (page: BodyOf<Name>) => string | undefined;
}

/** TanStack Query's `InfiniteData`. */
interface PagesOf<Name extends OperationName> {
  pages: BodyOf<Name>[];
  pageParams: (string | undefined)[];
}

/** A request, or `skipToken` in place of one. Without that, nothing but a request, so that the compiler checks its members. */
type Skippable<Given, Request> = [Extract<Given, symbol>] extends [never] ? Request : Given;

/** The options of an operation for TanStack Query. */
export interface OperationUtils<Name extends OperationName> {
  /** The beginning of the keys of all queries of the operation, of pages as well: to invalidate them. */
  queryKey(): [] extends Parameters<Client[Name]>
    ? OperationQueryKey<Name, BodyOf<Name>>
    : readonly ['plant-store', Name];
  /** The key of one query, and in filters of those that ask for the same and more: to read, set and invalidate. */
  queryKey(request: Parameters<Client[Name]>[0]): OperationQueryKey<Name, BodyOf<Name>>;
  /**
   * For an operation that reads. The data of the query is the body of the reply.
   *
   * @throws {RangeError} when an integer `number` may have been rounded
   */
  queryOptions(...request: Parameters<Client[Name]>): OperationQueryOptions<Name>;
  /** With TanStack Query's `skipToken` in place of the request, the query waits until there is one. */
  queryOptions<Given extends Parameters<Client[Name]>[0] | symbol>(
    request: Skippable<Given, Parameters<Client[Name]>[0]>,
  ): OperationQueryOptions<Name, Extract<Given, symbol>>;
  /** The key of a query of pages. In filters, without a request, that of all of the operation. */
  infiniteQueryKey(...request: Parameters<Client[Name]>): OperationQueryKey<Name, PagesOf<Name>>;
  /** For an operation that lists pages, each of which has where the `next` one begins. */
  infiniteQueryOptions(...request: Parameters<Client[Name]>): OperationInfiniteQueryOptions<Name>;
  infiniteQueryOptions<Given extends Parameters<Client[Name]>[0] | symbol>(
    request: Skippable<Given, Parameters<Client[Name]>[0]>,
  ): OperationInfiniteQueryOptions<Name, Extract<Given, symbol>>;
  /** The data of the mutation is the body of the reply, such as the plant, or what `select` makes of the reply. */
  mutationOptions(): OperationMutationOptions<Name, BodyOf<Name>>;
  mutationOptions<Data>(options: SelectOptions<Name, Data>): OperationMutationOptions<Name, Data>;
}
