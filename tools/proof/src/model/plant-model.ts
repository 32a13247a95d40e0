import { errors } from '@plant-store/contract/errors';
import { hasSameFields } from '@plant-store/contract/fields';
import type { Plant } from '@plant-store/contract/operations';
import { toJson } from '../plant.js';
import type { Observation, Request, Target } from './targets/target.js';

/** What plant stores should hold and accept: the whole meaning of the API in a few collections. */
export interface PlantModel {
  /** Different for each run, which has ids of its own. */
  readonly run: number;
  /** The plants of all runs so far, by id. */
  readonly plants: Map<bigint, Plant>;
  /** The ids of those that were deleted. */
  readonly retired: Set<bigint>;
  /** The ids of runs that have failed: of these nothing is known. */
  readonly unknown: Set<bigint>;
  /** Whether a token is accepted, by its number in this run. `main` always is. */
  readonly tokens: Map<number, boolean>;
}

/** The plant stores, all of which do the same. */
export interface Stores {
  readonly targets: readonly Target[];
  readonly counts: {
    requests: number;
    restarts: number;
    interrupted: number;
    withoutReply: number;
    revocations: number;
    slowestRevocationMs: number;
  };
}

/** What a caller must see of a reply, in which `…` stands for a message, or a time. */
export interface Expected {
  readonly status: number;
  /** The body; that of a batch in parts, of which each result is one. */
  readonly body: readonly string[];
  readonly replayed?: boolean;
}

/** A request, and what it must lead to. */
export interface Call {
  readonly label: string;
  compose(run: number): Request;
  /** Returns what the caller must see, and changes the model. */
  apply(model: PlantModel): Expected;
}

/** The id that a number stands for, in a run: near the borders of int64 and of doubles, and between. */
export function toId(number: number, run: number): bigint {
  const starts = [-(2n ** 63n), 2n ** 63n - 1_000_000n, 2n ** 53n - 5n, -(2n ** 53n), 1_000_000_000n];
  return (starts[number % starts.length] ?? 0n) + BigInt(run) * 20n + BigInt(number);
}

/** How many ids a run has. */
export const idsOfRun = 10;

export function createCall(number: number, plant: Plant): Call {
  return {
    label: `create(${number}, ${JSON.stringify(plant)})`,
    compose: (run) => ({
      method: 'POST',
      path: '/plants',
      body: toJson({ id: toId(number, run), ...plant }),
    }),
    apply: (model) => create(model, toId(number, model.run), plant),
  };
}

function create({ plants, retired }: PlantModel, id: bigint, plant: Plant): Expected {
  if (retired.has(id)) return expectError('id_retired');
  const stored = plants.get(id);
  if (stored !== undefined && !hasSameFields(stored, plant)) return expectError('id_taken');
  plants.set(id, plant);
  return { status: 200, body: [JSON.stringify(plant)], replayed: stored !== undefined };
}

/** A plant of a batch, or the text of what is none. */
export type Item = readonly [number: number, plant: Plant] | string;

export function createManyCall(items: readonly Item[]): Call {
  const toText = (item: Item, run: number) =>
    typeof item === 'string' ? item : toJson({ id: toId(item[0], run), ...item[1] });
  return {
    label: `createMany(${JSON.stringify(items)})`,
    compose: (run) => ({
      method: 'POST',
      path: '/plants/batch',
      body: `{"plants":[${items.map((item) => toText(item, run)).join(',')}]}`,
    }),
    apply(model) {
      const results = items.map((item) =>
        typeof item === 'string'
          ? expectError('invalid_plant')
          : create(model, toId(item[0], model.run), item[1]),
      );
      const body = results.map((result, index) => `${index === 0 ? '{"results":[' : ','}${toResult(result)}`);
      return { status: 200, body: [...body, ']}'] };
    },
  };
}

/** The result of a plant whose own request would have led to this. */
function toResult({ status, body: [error = ''], replayed = false }: Expected): string {
  return `{"status":${status},${status === 200 ? `"replayed":${replayed}}` : error.slice(1)}`;
}

export function removeCall(number: number): Call {
  return {
    label: `remove(${number})`,
    compose: (run) => ({ method: 'DELETE', path: `/plants/${toId(number, run)}` }),
    apply({ run, plants, retired }) {
      const id = toId(number, run);
      if (plants.delete(id)) retired.add(id);
      return retired.has(id) ? { status: 204, body: [] } : expectError('plant_not_found');
    },
  };
}

export function showCall(number: number): Call {
  return {
    label: `show(${number})`,
    compose: (run) => ({ method: 'GET', path: `/plants/${toId(number, run)}` }),
    apply({ run, plants }) {
      const id = toId(number, run);
      const plant = plants.get(id);
      if (plant === undefined) return expectError('plant_not_found');
      const texts = JSON.stringify(plant).slice(1, -1);
      return { status: 200, body: [`{"id":${id},"idText":"${id}",${texts},"addedAt":…}`] };
    },
  };
}

/** What an error looks like; its message only has to be the same everywhere. */
export function expectError(name: keyof typeof errors): Expected {
  return { status: errors[name].status, body: [`{"error":${errors[name].error},"message":…}`] };
}

/** A copy that changes by itself. */
export function copyModel(model: PlantModel): PlantModel {
  return { ...model, plants: new Map(model.plants), retired: new Set(model.retired) };
}

/**
 * Sends a request to all plant stores.
 *
 * @throws {Error} if one of them differs from what is expected, or from another
 */
export async function sendToAll(
  { targets, counts }: Stores,
  request: Request,
  token: string | undefined,
  expected: Expected,
): Promise<void> {
  counts.requests += targets.length;
  const seen = await Promise.all(targets.map((target) => target.send(request, token)));
  const [first] = seen.map(withoutTimes);
  for (const [index, observation] of seen.entries()) {
    const { name } = targets[index] ?? { name: '' };
    requireExpected(name, request, observation, [expected]);
    if (withoutTimes(observation) !== first)
      throw new Error(
        `${name} and ${targets[0]?.name} differ for ${describe(request)}: ${observation.body}, ${first}`,
      );
  }
}

/**
 * Compares what a store replied with what it may reply. Each part of a body may be as in either.
 *
 * @throws {Error} if it is none of that
 */
export function requireExpected(
  name: string,
  request: Request,
  observation: Observation,
  expected: readonly Expected[],
): void {
  const isExpected =
    expected.some(
      ({ status, replayed = false }) => status === observation.status && replayed === observation.replayed,
    ) && hasParts(withoutMessages(withoutTimes(observation)), expected);
  if (!isExpected)
    throw new Error(
      `${name}: ${describe(request)} led to ${JSON.stringify(observation)}, expected ${JSON.stringify(expected)}`,
    );
}

function hasParts(text: string, expected: readonly Expected[]): boolean {
  let left = text;
  for (let index = 0; index < Math.max(...expected.map(({ body }) => body.length)); index++) {
    const part = expected.map(({ body }) => body[index] ?? '').find((one) => left.startsWith(one));
    if (part === undefined) return false;
    left = left.slice(part.length);
  }
  return left === '';
}

/** Inside of a text of JSON quotes are escaped. */
function withoutTimes({ body }: Observation): string {
  return body.replace(/"addedAt":"\d{4}(-\d\d){2}T\d\d(:\d\d){2}\.\d{3}Z"/g, '"addedAt":…');
}

function withoutMessages(body: string): string {
  return body.replace(/"message":"(?:[^"\\]|\\.)*"/g, '"message":…');
}

function describe({ method, path, body = '' }: Request): string {
  return `${method} ${path} ${body.slice(0, 1_000)}`;
}
