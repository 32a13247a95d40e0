import { expect, it } from 'vitest';
import { contract } from './contract.js';
import type { Operation, RecordOperation } from './metadata.js';
import type { Action } from './resource.js';
import { resources } from './resources.js';

const operations = Object.entries<Operation>(contract);

const actions: Readonly<Record<RecordOperation, Action>> = {
  create: 'create',
  createMany: 'create',
  get: 'read',
  getMany: 'read',
  updateMany: 'update',
  list: 'read',
  count: 'read',
  changes: 'read',
  history: 'read',
  update: 'update',
  delete: 'delete',
  deleteMany: 'delete',
};

it('an operation on records needs the matching scope of its resource, and no two have the same action', () => {
  const done = operations.flatMap(([, { metadata }]) => {
    if (metadata.resource === undefined) return [];
    const { plural } = resources[metadata.resource];
    const action = actions[metadata.operation];
    expect(metadata.scope).toBe(plural === 'plants' ? action : `${plural}:${action}`);
    return [`${metadata.operation} ${metadata.field} of ${plural}`];
  });
  expect(new Set(done).size).toBe(done.length);
});
