import { hash } from 'node:crypto';
import { type contract, MAX_PLANTS, NewPlantSchema, type Plant } from '@plant-store/contract';
import { type ResourceName, resources } from '@plant-store/contract/resources';
import { type Examined, operationsOf } from '@plant-store/records';
import { plantTable } from './plants/plant-store.js';

/** What the operations of all resources need of the service. */
const platform = {
  /** The SHA-256 of a text, in base64url. */
  digest: (text: string) => hash('sha256', text, 'base64url'),
  now: Date.now,
  /** A number where that is exact, of which `JSON.stringify` writes a page in half the time. */
  showId(id: bigint) {
    const number = Number(id);
    return Number.isSafeInteger(number) ? number : id;
  },
};

/** The operations of each resource, by its name. */
export const operationsByName = {
  plant: operationsOf<Plant, 'plant'>(resources.plant, NewPlantSchema, {
    ...platform,
    bytesOf: plantTable.bytesOf,
  }),
} as const satisfies Readonly<Record<ResourceName, unknown>>;

/** What an operation may do with the records of a resource. */
export type Action =
  | 'create'
  | 'createMany'
  | 'get'
  | 'getMany'
  | 'deleteMany'
  | 'update'
  | 'delete'
  | 'list'
  | 'count'
  | 'changes';

/** What an operation of the contract does with the records of a resource. */
export interface Does {
  readonly resource: ResourceName;
  readonly operation: Action;
  /** The field whose values `count` counts. */
  readonly field?: string;
}

/** The actions that change nothing. */
const readActions: ReadonlySet<Action> = new Set(['get', 'getMany', 'list', 'count', 'changes']);

/** Whether an operation changes records. */
export const isWrite = ({ operation }: Does): boolean => !readActions.has(operation);

/** What each operation of the contract does; `undefined` for those of tokens. */
export const does = {
  createPlant: { resource: 'plant', operation: 'create' },
  getPlant: { resource: 'plant', operation: 'get' },
  listPlants: { resource: 'plant', operation: 'list' },
  createPlants: { resource: 'plant', operation: 'createMany' },
  getPlants: { resource: 'plant', operation: 'getMany' },
  deletePlants: { resource: 'plant', operation: 'deleteMany' },
  updatePlant: { resource: 'plant', operation: 'update' },
  deletePlant: { resource: 'plant', operation: 'delete' },
  listTags: { resource: 'plant', operation: 'count', field: 'tag' },
  listChanges: { resource: 'plant', operation: 'changes' },
  getOwnToken: undefined,
  listTokens: undefined,
  createToken: undefined,
  rotateToken: undefined,
  revokeToken: undefined,
} as const satisfies Readonly<Record<keyof typeof contract, Does | undefined>>;

/** What the RateLimit headers call the limit of a token, which counts the records of all resources. */
export const rateLimitName = 'plants';

/** The most that one request examines, if its caller has all of the time. */
const maxExamined = { records: 10_000, bytes: 2 ** 22, durationMs: 100 } as const;

/** What it may examine in any case, however many callers share the time: as much as a page without a filter needs. */
const minExamined = { records: MAX_PLANTS, bytes: 2 ** 18, durationMs: 10 } as const;

/** What a request may examine that has a part of the time, from 0 to 1. */
export function examinedBy(share: number): Examined {
  return {
    records: Math.max(minExamined.records, Math.floor(maxExamined.records * share)),
    bytes: Math.max(minExamined.bytes, Math.floor(maxExamined.bytes * share)),
    durationMs: Math.max(minExamined.durationMs, maxExamined.durationMs * share),
  };
}
