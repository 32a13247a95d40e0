import type { NewPlant, Plant } from '@plant-store/contract/operations';
import { routes } from '@plant-store/contract/routes';
import { authenticate } from './authenticate.js';
import { readNewPlant } from './read-new-plant.js';
import { Refusal } from './refusal.js';
import { errorReply, jsonReply, type Reply } from './reply.js';

/** A request with its body read to the end. */
export interface ReadRequest {
  /** Names the request in its reply. */
  readonly id: string;
  readonly method: string;
  /** The path below the base address. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** What requests are answered by. */
export interface StoreState {
  readonly acceptedTokens: readonly string[];
  /** Gains what requests store. */
  readonly plants: Map<bigint, Readonly<Plant>>;
}

/**
 * Answers a request as the service does. Faults are reported in its order: path, method, token, content type, size,
 * JSON, shape, taken id.
 */
export function answer(request: ReadRequest, state: StoreState): Reply {
  const reply = createPlant(request, state);
  return request.method === 'HEAD' ? { ...reply, body: '' } : reply;
}

function createPlant(request: ReadRequest, { acceptedTokens, plants }: StoreState): Reply {
  try {
    refuseOtherTargets(request);
    authenticate(request.headers, acceptedTokens);
    const { plant, replayed } = store(plants, readNewPlant(request.headers, request.body));
    return jsonReply(request.id, 200, plant, replayed ? { 'Idempotent-Replayed': 'true' } : {});
  } catch (error) {
    if (error instanceof Refusal) return errorReply(request.id, error);
    throw error;
  }
}

function refuseOtherTargets({ method, path }: ReadRequest): void {
  const { path: served, method: allowed } = routes.createPlant;
  if (path !== served) {
    throw new Refusal('not_found', `Nothing is served under ${path.slice(0, 200)}.`);
  }
  if (method !== allowed) {
    const message = `${method} is not allowed on ${path}. Use ${allowed}.`;
    throw new Refusal('method_not_allowed', message, { Allow: allowed });
  }
}

/** The id is also the key of the request: the same plant again is a replay, stored once. */
function store(
  plants: Map<bigint, Readonly<Plant>>,
  { id, name, tag }: NewPlant,
): { readonly plant: Plant; readonly replayed: boolean } {
  const plant = tag === undefined ? { name } : { name, tag };
  const existing = plants.get(id);
  if (existing === undefined) {
    plants.set(id, plant);
    return { plant, replayed: false };
  }
  if (existing.name === name && existing.tag === tag) return { plant, replayed: true };
  throw new Refusal('id_taken', `The id ${id} belongs to another plant. Choose another id.`);
}
