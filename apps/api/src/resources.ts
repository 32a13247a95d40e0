import { hash } from 'node:crypto';
import { MAX_RECORDS, type ResourceTypes, schemasOf } from '@plant-store/contract';
import type { Resource } from '@plant-store/contract/resource';
import { type ResourceName, resources } from '@plant-store/contract/resources';
import { type CountLimits, type Operations, operationsOf } from '@plant-store/records';
import { tableOf } from './store/table.js';

/** What the operations of all resources need of the service. */
const platform = {
  /** The SHA-256 of a text, in base64url. */
  digest: (text: string) => hash('sha256', text, 'base64url'),
  now: Date.now,
  /** A number where that is exact: `JSON.stringify` writes a page of numbers in half the time. */
  showId(id: bigint) {
    const number = Number(id);
    return Number.isSafeInteger(number) ? number : id;
  },
};

/** The operations of each resource, by its name. */
export const operationsByName = Object.fromEntries(
  Object.values(resources).map((resource: Resource<ResourceName>) => {
    const { bytesOf } = tableOf(resource);
    return [resource.name, operationsOf(resource, schemasOf(resource).create, { ...platform, bytesOf })];
  }),
) as unknown as { readonly [Name in ResourceName]: Operations<ResourceTypes[Name]['fields'], Name> };

/** What the RateLimit headers call the limit of a token, which counts the records of all resources. */
export const rateLimitName = 'plants';

/** The most that one request examines, if its caller has all of the time. */
const maxExamined = { records: 10_000, bytes: 2 ** 22, durationMs: 100 } as const;

/** What it may examine in any case, however many callers share the time: as much as a page without a filter needs. */
const minExamined = { records: MAX_RECORDS, bytes: 2 ** 18, durationMs: 10 } as const;

/** What a request may examine that has a part of the time, from 0 to 1. */
export function examinedBy(share: number): CountLimits {
  return {
    records: Math.max(minExamined.records, Math.floor(maxExamined.records * share)),
    bytes: Math.max(minExamined.bytes, Math.floor(maxExamined.bytes * share)),
    durationMs: Math.max(minExamined.durationMs, maxExamined.durationMs * share),
  };
}
