import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import type { Precondition } from '@plant-store/contract/operations';
import type { Client } from './client.js';
import type { DataTag } from './data-tag.js';
import { type Changes, type Edit, saveEdit } from './edit.js';
import type { PlantStoreError } from './errors/plant-store-error.js';
import type { CallOptions, TsRestOptions } from './options.js';
import {
  type AnyReply,
  type BodyOf,
  ensureSuccess,
  type RejectionsOf,
  type SuccessOf,
  unwrap,
} from './unwrap.js';
import type { RequestParts } from './write-request.js';

export { deserialize, serialize } from './serialize.js';
export { isRejectedError, RejectedError } from './unwrap.js';

/** The options of each operation of a client for TanStack Query, by the operation's name. */
export type TanstackQueryUtils<Client> = {
  readonly [Name in keyof Client]: Client[Name] extends AnyOperation
    ? OperationUtils<Name, Client[Name]>
    : never;
};

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
 * import { createClient, errors } from '@plant-store/client';
 * import { createTanstackQueryUtils, isRejectedError } from '@plant-store/client/tanstack-query';
 *
 * const plantStore = createTanstackQueryUtils(createClient({ baseUrl: location.origin, token: 'pst_…' }));
 *
 * const { mutate, data, error } = useMutation(plantStore.createPlant.mutationOptions());
 * mutate({ body: { id: 13_001, name: 'Rose' } });
 * if (isRejectedError(error, errors.id_taken.error)) chooseAnotherId();
 */
export function createTanstackQueryUtils<Client extends object>(client: Client): TanstackQueryUtils<Client> {
  const operations = Object.entries<AnyOperation>(client as Record<string, AnyOperation>);
  const utils: Record<string, unknown> = Object.fromEntries(
    operations.map(([name, operation]) => [name, createUtils(client, name, operation)]),
  );
  return utils as TanstackQueryUtils<Client>;
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
    mutationOptions: (options?: SelectOptions<AnyOperation, unknown>) => ({
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
  const headers = Object.entries({ ...request.extraHeaders, ...request.headers });
  const hasTag = headers.some(([header, value]) => /^if-match$/i.test(header) && value !== '*');
  if (hasTag && (edit ?? request.body) !== undefined) {
    throw new TypeError(
      `${name}: after a refetch, the tag in if-match is newer than what the user saw. Call startEdit of ` +
        "@plant-store/client/edit when the form opens, and pass { edit, changes }. '*' overwrites anything",
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

/**
 * What a call of an operation fails with: its rejections, which narrow by `number` and by `status`, or no reply of the API.
 *
 * Not in this type, as they are errors of the program: a `RangeError` for a `number` that is not exact, and whatever the
 * program's own functions throw, such as the source of a token.
 */
export type FailureOf<Operation extends AnyOperation> =
  | RejectionsOf<Awaited<ReturnType<Operation>>>
  | PlantStoreError;

/** What TanStack Query's adapters take for a mutation, `useMutation` of React's among them. */
export interface OperationMutationOptions<Name, Operation extends AnyOperation, Data> {
  readonly mutationKey: readonly ['plant-store', Name];
  /** Takes what the operation takes: `{ body, signal?, … }`, and for an update `{ edit, changes }`. */
  readonly mutationFn: (request: MutationRequest<Operation>) => Promise<Data>;
  /** Never: the client itself retries what may be retried. */
  readonly retry: (failureCount: number, error: FailureOf<Operation>) => false;
}

/** What saves an edit, with the options of the calls. */
export interface EditRequest extends CallOptions, TsRestOptions {
  /** What `startEdit` returned when the form opened. */
  readonly edit: Edit;
  readonly changes: Changes;
}

/**
 * What a mutation takes: what the operation takes. For an operation with a precondition that is an edit, since the tag of a query may
 * be newer than what the user saw; or `'*'`, to overwrite whatever is there or to restore what was deleted.
 */
export type MutationRequest<Operation extends AnyOperation> = Parameters<Operation>[0] extends {
  readonly headers: Precondition;
}
  ? EditRequest | (Parameters<Operation>[0] & { readonly headers: Partial<Record<keyof Precondition, '*'>> })
  : Parameters<Operation>[0];

/** What turns a successful reply into the data of a mutation. */
export interface SelectOptions<Operation extends AnyOperation, Data> {
  readonly select: (reply: SuccessOf<Awaited<ReturnType<Operation>>>) => Data;
}

/**
 * The key of a query, which is plain JSON. TanStack Query infers the data from it. Without a request it is
 * `['plant-store', Name]`, the beginning of all keys of the operation.
 */
export type OperationQueryKey<Name, Data> = readonly ['plant-store', Name, ...unknown[]] & DataTag<Data>;

/** What TanStack Query's adapters take for a query, `useQuery` of React's among them. */
export interface OperationQueryOptions<Name, Operation extends AnyOperation, Skip extends symbol = never> {
  readonly queryKey: OperationQueryKey<Name, BodyOf<ReplyOf<Operation>>>;
  readonly queryFn:
    | ((context: { readonly signal: AbortSignal }) => Promise<BodyOf<ReplyOf<Operation>>>)
    | Skip;
  /** Never: the client itself retries what may be retried. */
  readonly retry: (failureCount: number, error: FailureOf<Operation>) => false;
  /** Never set: `useQueries` infers the type of the error from nothing else. */
  readonly throwOnError?: (error: FailureOf<Operation>) => boolean;
}

/** What TanStack Query's adapters take for a query of pages, `useInfiniteQuery` of React's among them. */
export interface OperationInfiniteQueryOptions<
  Name,
  Operation extends AnyOperation,
  Skip extends symbol = never,
> extends Omit<OperationQueryOptions<Name, Operation>, 'queryKey' | 'queryFn'> {
  readonly queryKey: OperationQueryKey<Name, PagesOf<Operation>>;
  readonly queryFn:
    | ((context: {
        readonly signal: AbortSignal;
        readonly pageParam: string | undefined;
      }) => Promise<BodyOf<ReplyOf<Operation>>>)
    | Skip;
  readonly initialPageParam: string | undefined;
  readonly getNextPageParam: (page: BodyOf<ReplyOf<Operation>>) => string | undefined;
}

type ReplyOf<Operation extends AnyOperation> = Awaited<ReturnType<Operation>>;

/** TanStack Query's `InfiniteData`. */
interface PagesOf<Operation extends AnyOperation> {
  pages: BodyOf<ReplyOf<Operation>>[];
  pageParams: (string | undefined)[];
}

/** A request, or `skipToken` in place of one. Without that, nothing but a request, so that the compiler checks its members. */
type Skippable<Given, Request> = [Extract<Given, symbol>] extends [never] ? Request : Given;

/** The options of an operation for TanStack Query. */
export interface OperationUtils<Name, Operation extends AnyOperation> {
  /** The beginning of the keys of all queries of the operation, of pages as well: to invalidate them. */
  queryKey(): [] extends Parameters<Operation>
    ? OperationQueryKey<Name, BodyOf<ReplyOf<Operation>>>
    : readonly ['plant-store', Name];
  /** The key of one query, and in filters of those that ask for the same and more: to read, set and invalidate. */
  queryKey(request: Parameters<Operation>[0]): OperationQueryKey<Name, BodyOf<ReplyOf<Operation>>>;
  /**
   * For an operation that reads. The data of the query is the body of the reply.
   *
   * @throws {RangeError} when an integer `number` may have been rounded
   */
  queryOptions(...request: Parameters<Operation>): OperationQueryOptions<Name, Operation>;
  /** With TanStack Query's `skipToken` in place of the request, the query waits until there is one. */
  queryOptions<Given extends Parameters<Operation>[0] | symbol>(
    request: Skippable<Given, Parameters<Operation>[0]>,
  ): OperationQueryOptions<Name, Operation, Extract<Given, symbol>>;
  /** The key of a query of pages. In filters, without a request, that of all of the operation. */
  infiniteQueryKey(...request: Parameters<Operation>): OperationQueryKey<Name, PagesOf<Operation>>;
  /** For an operation that lists pages, each of which has where the `next` one begins. */
  infiniteQueryOptions(...request: Parameters<Operation>): OperationInfiniteQueryOptions<Name, Operation>;
  infiniteQueryOptions<Given extends Parameters<Operation>[0] | symbol>(
    request: Skippable<Given, Parameters<Operation>[0]>,
  ): OperationInfiniteQueryOptions<Name, Operation, Extract<Given, symbol>>;
  /** The data of the mutation is the body of the reply, such as the plant, or what `select` makes of the reply. */
  mutationOptions(): OperationMutationOptions<Name, Operation, BodyOf<Awaited<ReturnType<Operation>>>>;
  mutationOptions<Data>(
    options: SelectOptions<Operation, Data>,
  ): OperationMutationOptions<Name, Operation, Data>;
}
