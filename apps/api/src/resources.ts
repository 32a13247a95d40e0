import { hash } from 'node:crypto';
import { type ResourceTypes, schemasOf } from '@plant-store/contract';
import type { Resource } from '@plant-store/contract/resource';
import { type ResourceName, resources } from '@plant-store/contract/resources';
import { type Operations, operationsOf, type Pace } from '@plant-store/records';
import type { Turn } from './runtime/list-gate.js';
import { tableOf } from './store/table.js';

/** What the operations of all resources need from the service. */
const platform = {
  /** The SHA-256 of a text, in base64url. */
  digest: (text: string) => hash('sha256', text, 'base64url'),
  now: Date.now,
  /** A number if it is exact: `JSON.stringify` writes a page of numbers in half the time. */
  showId(id: bigint) {
    const number = Number(id);
    return Number.isSafeInteger(number) ? number : id;
  },
};

export const operationsByName = Object.fromEntries(
  Object.values(resources).map((resource: Resource<ResourceName>) => {
    const { bytesOf } = tableOf(resource);
    return [resource.name, operationsOf(resource, schemasOf(resource).create, { ...platform, bytesOf })];
  }),
) as unknown as { readonly [Name in ResourceName]: Operations<ResourceTypes[Name]['fields']> };

/** The name of a token's limit in the RateLimit headers. It counts the records of all resources. */
export const rateLimitName = 'plants';

/**
 * The maximum text of a page, in bytes; how long a list reads at a time, for a caller that has all the time; and its maximum total time.
 */
const maxBytes = 2 ** 22;
const turnMs = { least: 10, most: 100 } as const;
const maxReadMs = 5_000;

/** How a request reads a list in turns with others. */
export function paceOf({ share, next }: Turn): Pace {
  return {
    limits: () => ({ bytes: maxBytes, durationMs: Math.max(turnMs.least, turnMs.most * share()) }),
    nextTurn: next,
    maxMs: maxReadMs,
  };
}
