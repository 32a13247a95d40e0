import type { ErrorBody } from './errors/errors.js';
import type { routes } from './routes.js';

/** A plant as the service shows it (API: Resources, Plant): `{ name, tag? }`. */
export type Plant = { name: string; tag?: string | undefined };

/** `{ id, name, tag? }` once validated: `id` is a `bigint`. */
export type NewPlant = { id: bigint; name: string; tag?: string | undefined };

/** What a client sends to create a plant (API: Resources, NewPlant); beyond 2^53 only a `bigint` is exact. */
export type NewPlantInput = { id: number | bigint; name: string; tag?: string | undefined };

/** The body of each reply of an operation, by the statuses of its route; of every failure it is an Error body. */
type Responses<Operation extends keyof typeof routes, Success> = {
  [Status in (typeof routes)[Operation]['statuses'][number]]: Status extends 200
    ? Success
    : ErrorBody<Status>;
};

/**
 * What each operation takes and gives, as types without a schema: for clients, whose users need neither zod nor ts-rest.
 *
 * The type tests of `contract` check that its schemas agree.
 */
export interface Operations {
  createPlant: {
    body: NewPlantInput;
    responses: Responses<'createPlant', Plant>;
  };
}
