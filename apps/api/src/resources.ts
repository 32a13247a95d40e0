import { hash } from 'node:crypto';
import { type ResourceTypes, schemasOf } from '@plant-store/contract';
import type { Resource } from '@plant-store/contract/resource';
import { type ResourceName, resources } from '@plant-store/contract/resources';
import { type Operations, operationsOf, type Pace } from '@plant-store/records';
import type { Turn } from './runtime/list-gate.js';
import { tableOf } from './store/table.js';

/** What all resources' operations need from the service. */
const platform = {
  /** Returns the SHA-256 of a text, in base64url. */
  digest: (text: string) => hash('sha256', text, 'base64url'),
  now: Date.now,
  /** Returns a number if it represents the ID exactly, because `JSON.stringify` writes a page of numbers in half the time. */
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

/** The maximum text of a list page, in bytes. */
const maxBytes = 2 ** 22;
/** How long a list is read per turn, in milliseconds. A caller's share of the time determines the value in this range. */
const turnMs = { least: 10, most: 100 } as const;
/** The maximum total time for reading a list page, in milliseconds. */
const maxReadMs = 5_000;

/** Returns how to read a list in turns with other requests. */
export function paceOf({ share, next }: Turn): Pace {
  return {
    limits: () => ({ bytes: maxBytes, durationMs: Math.max(turnMs.least, turnMs.most * share()) }),
    nextTurn: next,
    maxMs: maxReadMs,
  };
}
