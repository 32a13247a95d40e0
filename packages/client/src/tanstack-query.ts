import { type ExactJson, stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import type { PlantStoreError } from './errors/plant-store-error.js';
import {
  type AnyReply,
  type BodyOf,
  ensureSuccess,
  type RejectionsOf,
  type SuccessOf,
  unwrap,
} from './unwrap.js';

import type { RequestParts } from './write-request.js';

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
    operations.map(([name, operation]) => [name, createUtils(name, operation)]),
  );
  return utils as TanstackQueryUtils<Client>;
}

function createUtils(name: string, operation: AnyOperation) {
  const retry = () => false;
  return {
    queryOptions: (request?: object) => ({
      queryKey: keyOf(name, request),
      queryFn: ({ signal }: { signal: AbortSignal }) => unwrap(operation({ ...request, signal })),
      retry,
    }),
    infiniteQueryOptions: (request: { query?: object } = {}) => ({
      queryKey: keyOf(name, request, 'pages'),
      queryFn: ({ signal, pageParam: after }: { signal: AbortSignal; pageParam: unknown }) =>
        unwrap(operation({ ...request, query: { ...request.query, after }, signal })),
      initialPageParam: undefined,
      getNextPageParam: ({ next }: { next?: string }) => next,
      retry,
    }),
    mutationOptions: (options?: SelectOptions<AnyOperation, unknown>) => ({
      mutationKey: ['plant-store', name],
      mutationFn: (request: unknown) => {
        const reply = operation(request);
        return options ? reply.then(ensureSuccess).then(options.select) : unwrap(reply);
      },
      retry,
    }),
  };
}

/** What is asked for, as a text, since TanStack Query cannot hash a `bigint`. The options of the call are no part of it. */
function keyOf(name: string, request: object = {}, ...kind: readonly string[]) {
  const { params, query }: RequestParts = request;
  return ['plant-store', name, ...kind, stringifyExactJson({ params, query } as ExactJson)];
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
  /** Takes what the operation takes: `{ body, signal?, … }`. */
  readonly mutationFn: (request: Parameters<Operation>[0]) => Promise<Data>;
  /** Never: the client itself retries what may be retried. */
  readonly retry: (failureCount: number, error: FailureOf<Operation>) => false;
}

/** What turns a successful reply into the data of a mutation. */
export interface SelectOptions<Operation extends AnyOperation, Data> {
  readonly select: (reply: SuccessOf<Awaited<ReturnType<Operation>>>) => Data;
}

/** What TanStack Query's adapters take for a query, `useQuery` of React's among them. */
export interface OperationQueryOptions<Name, Operation extends AnyOperation> {
  /** Begins with `['plant-store', Name]`, by which the queries of an operation are invalidated. */
  readonly queryKey: readonly ['plant-store', Name, ...string[]];
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<BodyOf<ReplyOf<Operation>>>;
  /** Never: the client itself retries what may be retried. */
  readonly retry: (failureCount: number, error: FailureOf<Operation>) => false;
}

/** What TanStack Query's adapters take for a query of pages, `useInfiniteQuery` of React's among them. */
export interface OperationInfiniteQueryOptions<Name, Operation extends AnyOperation>
  extends Omit<OperationQueryOptions<Name, Operation>, 'queryFn'> {
  readonly queryFn: (context: {
    readonly signal: AbortSignal;
    readonly pageParam: string | undefined;
  }) => Promise<BodyOf<ReplyOf<Operation>>>;
  readonly initialPageParam: string | undefined;
  readonly getNextPageParam: (page: BodyOf<ReplyOf<Operation>>) => string | undefined;
}

type ReplyOf<Operation extends AnyOperation> = Awaited<ReturnType<Operation>>;

/** The options of an operation for TanStack Query. */
export interface OperationUtils<Name, Operation extends AnyOperation> {
  /** For an operation that reads. The data of the query is the body of the reply. */
  queryOptions(...request: Parameters<Operation>): OperationQueryOptions<Name, Operation>;
  /** For an operation that lists pages, each of which has where the `next` one begins. */
  infiniteQueryOptions(...request: Parameters<Operation>): OperationInfiniteQueryOptions<Name, Operation>;
  /** The data of the mutation is the body of the reply, such as the plant, or what `select` makes of the reply. */
  mutationOptions(): OperationMutationOptions<Name, Operation, BodyOf<Awaited<ReturnType<Operation>>>>;
  mutationOptions<Data>(
    options: SelectOptions<Operation, Data>,
  ): OperationMutationOptions<Name, Operation, Data>;
}
