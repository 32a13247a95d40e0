import type { Operations } from '@plant-store/contract/operations';
import type { CallOptions, TsRestOptions } from './options.js';

/** One function per operation of the contract, by the operation's name. */
export type Client = ClientOf<Operations>;

/** What an operation takes, such as `{ body: { id, name, tag? } }` and the options of the call. */
export type RequestOf<Name extends keyof Client> = Parameters<Client[Name]>[0];

/** What an operation resolves to: a union that narrows by `status`. */
export type ReplyOf<Name extends keyof Client> = Awaited<ReturnType<Client[Name]>>;

/** The client of any operations, described in the same way as `Operations`: one function per operation. */
export type ClientOf<Operations extends AnyOperations<Operations>> = {
  readonly [Name in keyof Operations]: Operation<
    Input<Operations[Name]>,
    Reply<Operations[Name]['responses']>
  >;
};

/** Operations by their names, each described as plain types. */
export type AnyOperations<Operations> = { readonly [Name in keyof Operations]: OperationTypes };

/** The parameters in the path, the query and the body of an operation, as far as it has them, and its replies. */
interface OperationTypes {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly responses: unknown;
}

/** Takes what the route requires and the options of the call; the argument is optional where nothing is required. */
type Operation<Input, Result> =
  Record<never, never> extends Input
    ? (request?: Input & CallOptions & TsRestOptions) => Promise<Result>
    : (request: Input & CallOptions & TsRestOptions) => Promise<Result>;

/** Parts are looked up by their keys, since the compiler does much more to infer each from the whole of an operation. */
type Input<Route extends OperationTypes> = Pick<Route, keyof Route & ('params' | 'headers' | 'body')> &
  QueryInput<Route>;

type QueryInput<Route extends OperationTypes> = 'query' extends keyof Route
  ? Record<never, never> extends Route['query']
    ? { readonly query?: Route['query'] }
    : { readonly query: Route['query'] }
  : unknown;

type Reply<Responses> = {
  [Status in keyof Responses]: {
    readonly status: Status;
    /** For a failure, `error` is one of the numbers listed for the status, or one of a later version. */
    readonly body: Responses[Status];
    readonly headers: Headers;
    /** The id of the request in the service's log, to include in a bug report. */
    readonly requestId: string | null;
    /** Whether an earlier request, or an earlier attempt of this call, had already stored the same. */
    readonly replayed: boolean;
    /** The response as `fetch` returned it; its body has already been read. */
    readonly response: Response;
  };
}[keyof Responses];
