import { errors } from '@plant-store/contract/errors';
import type { StoredPlant } from '../databases/database.js';
import type { Observation, Target } from './targets/target.js';

/** What plant stores should hold and accept: the whole meaning of the API in two collections. */
export interface PlantModel {
  /** By the number of its id in this run; the runs have ids of their own. */
  readonly plants: Map<number, StoredPlant>;
  /** Whether a token is accepted, by its number in this run. `main` always is. */
  readonly tokens: Map<number, boolean>;
}

/** The plant stores, all of which do the same. */
export interface Stores {
  readonly targets: readonly Target[];
  /** Different for each run. */
  readonly run: number;
  /** All plants of all runs so far, as they must be stored. */
  readonly expected: Map<bigint, StoredPlant>;
  readonly counts: { requests: number; restarts: number; revocations: number; slowestRevocationMs: number };
}

/** The id that a number stands for, in a run: near the borders of int64 and of doubles, and between. */
export function toId(number: number, run: number): bigint {
  const starts = [-(2n ** 63n), 2n ** 63n - 1_000_000n, 2n ** 53n - 5n, -(2n ** 53n), 1_000_000_000n];
  return (starts[number % starts.length] ?? 0n) + BigInt(run) * 20n + BigInt(number);
}

/** The text of a plant in a request. */
export function toBody(id: bigint, { name, tag }: StoredPlant): string {
  return `{"id":${id},"name":${JSON.stringify(name)}${tag === null ? '' : `,"tag":${JSON.stringify(tag)}`}}`;
}

/** What a create of a plant must lead to when another or the same one may have its id. */
export function expectCreate(plant: StoredPlant, stored: StoredPlant | undefined): Partial<Observation> {
  if (stored !== undefined && (stored.name !== plant.name || stored.tag !== plant.tag))
    return expectError('id_taken');
  const { name, tag } = plant;
  const body = JSON.stringify({ name, ...(tag !== null && { tag }) });
  return { status: 200, body, replayed: stored !== undefined };
}

/** What an error looks like; its message only has to be the same everywhere. */
export function expectError(name: keyof typeof errors): Partial<Observation> {
  return { status: errors[name].status, body: `{"error":${errors[name].error},"message":` };
}

/**
 * Sends a create to all plant stores.
 *
 * @throws {Error} if one of them differs from what is expected, or from another
 */
export async function sendToAll(
  { targets, counts }: Stores,
  body: string,
  token: string | undefined,
  expected: Partial<Observation>,
): Promise<void> {
  counts.requests += targets.length;
  const seen = await Promise.all(targets.map((target) => target.send(body, token)));
  const [first] = seen;
  for (const [index, observation] of seen.entries()) {
    const isExpected =
      observation.status === expected.status &&
      observation.replayed === (expected.replayed ?? false) &&
      (expected.status === 200
        ? observation.body === expected.body
        : observation.body.startsWith(expected.body ?? ''));
    const name = targets[index]?.name;
    if (!isExpected)
      throw new Error(
        `${name}: ${body} led to ${JSON.stringify(observation)}, expected ${JSON.stringify(expected)}`,
      );
    if (observation.body !== first?.body)
      throw new Error(
        `${name} and ${targets[0]?.name} differ for ${body}: ${observation.body}, ${first?.body}`,
      );
  }
}
