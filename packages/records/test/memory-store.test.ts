import type { Plant } from '@plant-store/contract';
import type { Resource } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';
import { createMemoryStore } from '../src/index.js';
import { type Samples, testStore } from './conformance/index.js';
import { type Garden, garden, gardens } from './garden.js';

const plants: Samples<Plant> = [
  { name: 'Fern', tag: 'outdoor' },
  { name: '🌱 "Rose", \\ and \u0001', tag: '' },
  { name: '' },
];

function openMemory<Fields extends object>(resource: Resource) {
  return async () => {
    const changes = { generation: '00000001', number: 0 };
    const store = createMemoryStore<Fields>(resource, { now: Date.now, changes });
    return {
      store,
      empty: async () => store.replaceAll([]),
      async invalidateCursors() {
        changes.generation = `${Number(changes.generation) + 1}`.padStart(8, '0');
      },
    };
  };
}

testStore<Plant>(resources.plant, plants, openMemory(resources.plant));
testStore<Garden>(garden, gardens, openMemory(garden));
