import { expect, it } from 'vitest';
import { contract } from './contract.js';
import { type Operation, type RecordOperation, subjectOfOperation } from './metadata.js';
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

it.each([
  ['createPlant', 'plant', 'invalid_plant'],
  ['updatePlant', 'plant', 'invalid_plant'],
  ['createPlants', 'batch', 'invalid_plant'],
  ['getPlants', 'batch', 'invalid_plant'],
  ['updatePlants', 'batch', 'invalid_plant'],
  ['deletePlants', 'batch', 'invalid_plant'],
  ['createToken', 'new token', 'invalid_token_request'],
  ['rotateToken', 'rotation', 'invalid_token_request'],
] as const)('the body of %s is a %s, and otherwise the error is %s', (name, noun, errorName) => {
  expect(subjectOfOperation(contract[name].metadata)).toEqual({ noun, errorName });
});
