import { messages } from '@plant-store/contract/messages';
import type { Operations, Plant } from '@plant-store/contract/operations';
import type { ValidRequest } from './read-request.js';
import { ServiceError } from './reply.js';

/** How the fake answers each operation. */
export const handlers: { readonly [Name in keyof Operations]: Handler<Name> } = {
  /** Stores a plant. The id is also the key of the request: the same plant again is a replay, stored once. */
  createPlant({ body: { id, name, tag } }, { plants }) {
    const plant = tag === undefined ? { name } : { name, tag };
    const existing = plants.get(id);
    if (existing === undefined) {
      plants.set(id, plant);
      return { status: 200, body: plant };
    }
    if (existing.name === name && existing.tag === tag) {
      return { status: 200, body: plant, headers: { 'Idempotent-Replayed': 'true' } };
    }
    throw new ServiceError('id_taken', messages.idTaken(id));
  },
};

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
