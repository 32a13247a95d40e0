import type { Operations, Plant } from '@plant-store/contract/operations';
import type { ValidRequest } from '../request/read-request.js';

/** What the operations of a fake plant store work on. */
export interface StoreState {
  readonly acceptedTokens: readonly string[];
  /** Gains what requests store. */
  readonly plants: Map<bigint, Readonly<Plant>>;
}

/**
 * Answers a valid request of an operation as the service does.
 *
 * @throws {ServiceError} for an error of the registry
 */
export type Handler<Name extends keyof Operations> = (
  request: ValidRequest<Name>,
  state: StoreState,
) => HandlerReply<Operations[Name]['responses']>;

type HandlerReply<Responses> = {
  [Status in keyof Responses & number]: {
    readonly status: Status;
    readonly body: Responses[Status];
    readonly headers?: Readonly<Record<string, string>>;
  };
}[keyof Responses & number];
