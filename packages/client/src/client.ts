import type { contract } from '@plant-store/contract';

type Contract = typeof contract;

/** One function per operation of the contract, under the operation's name. */
export type Client = { readonly [Name in keyof Contract]: Operation<Contract[Name]> };

/** What an operation takes, such as `{ body: { id, name, tag? } }` for `RequestOf<'createPlant'>`. */
export type RequestOf<Name extends keyof Client> = Parameters<Client[Name]>[0];

/** What an operation gives: a union that narrows by `status`. */
export type ReplyOf<Name extends keyof Client> = Awaited<ReturnType<Client[Name]>>;

/** The function of a route: takes `{ body }` if the route has one, gives one of its declared responses. */
export type Operation<Route> = Route extends { responses: infer Responses }
  ? Route extends { body: Schema<infer Body, unknown> }
    ? (request: { readonly body: Body }) => Promise<Reply<Responses>>
    : () => Promise<Reply<Responses>>
  : never;

type Reply<Responses> = {
  [Status in keyof Responses]: {
    readonly status: Status;
    readonly body: Responses[Status] extends Schema<unknown, infer Body> ? Body : never;
    readonly headers: Headers;
  };
}[keyof Responses];

/** The types of a schema as the Standard Schema specification names them; all that is needed of a schema here. */
interface Schema<Input, Output> {
  readonly '~standard': { readonly types?: { readonly input: Input; readonly output: Output } | undefined };
}
