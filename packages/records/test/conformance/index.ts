import type { Resource } from '@plant-store/contract/resource';
import { describe } from 'vitest';
import { testChange } from './change.js';
import { testChanges } from './changes.js';
import { testCreate } from './create.js';
import { testHistory } from './history.js';
import { testList } from './list.js';
import { type OpenStore, type Samples, useStore } from './use-store.js';

export type { OpenStore, Samples } from './use-store.js';

/**
 * Describes what every store of a resource must do, as tests of vitest. Call it in a file of tests, or within a `describe`.
 *
 * @param open opens an empty store. It is called once; the store is emptied after each test.
 */
export function testStore<Fields extends object>(
  resource: Resource,
  samples: Samples<Fields>,
  open: () => Promise<OpenStore<Fields>>,
): void {
  describe(`the store of ${resource.plural}`, () => {
    const subject = useStore(resource, samples, open);
    describe('creates', () => testCreate(subject));
    describe('changes', () => testChange(subject));
    describe('lists', () => testList(subject));
    describe('lists changes and', () => testChanges(subject));
    describe('keeps a history that', () => testHistory(subject));
  });
}
