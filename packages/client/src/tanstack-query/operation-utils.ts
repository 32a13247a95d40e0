import type { PlantStoreError } from '../errors/plant-store-error.js';
import type { AnyReply, BodyOf, RejectionsOf, SuccessOf } from '../unwrap/reply.js';

/** An operation of a client. */
// biome-ignore lint/suspicious/noExplicitAny: only so is it the type of a function with any parameter
export type AnyOperation = (request: any) => Promise<AnyReply>;

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

/** The options of an operation for TanStack Query. */
export interface OperationUtils<Name, Operation extends AnyOperation> {
  /** The data of the mutation is the body of the reply, such as the plant, or what `select` makes of the reply. */
  mutationOptions(): OperationMutationOptions<Name, Operation, BodyOf<Awaited<ReturnType<Operation>>>>;
  mutationOptions<Data>(
    options: SelectOptions<Operation, Data>,
  ): OperationMutationOptions<Name, Operation, Data>;
}
