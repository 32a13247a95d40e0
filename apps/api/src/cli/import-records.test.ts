import { join } from 'node:path';
import { messages } from '@plant-store/contract/messages';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { ServiceError } from '../errors/service-error.js';
import { openSqlite } from '../store/sqlite/open-sqlite.js';
import { stored, type Tombstone } from '../store/store.js';
import { importRecords } from './import.js';

/** The plants of a new database, whose calls are recorded. */
async function open() {
  const { plants, close } = await openSqlite(join(temporaryFolder(), 'plant-store.db'));
  onTestFinished(close);
  return { plants, create: vi.spyOn(plants, 'create'), remove: vi.spyOn(plants, 'remove') };
}

const fern = (name = 'Fern') => ({ id: 1n, name });
const rose = (name = 'Rose') => ({ id: 2n, name });
const tombstone = (id: bigint): Tombstone => ({ id, deleted: true });
const there = { stored: false, problem: undefined };
const taken = (id: number) => ({ stored: false, problem: `The id ${id} belongs to another plant.` });
const retired = (id: bigint) => ({ stored: false, problem: messages.idRetired(id) });

it('has the outcome of one record after the other, in whatever order plants and tombstones are', async () => {
  const { plants, create, remove } = await open();
  await plants.create([fern()]);
  create.mockClear();
  const records = [
    ...[fern(), fern('other'), tombstone(1n), fern(), tombstone(3n)],
    ...[rose(), rose('other'), rose(), tombstone(2n), tombstone(2n), rose()],
  ];
  expect(await importRecords(records, plants)).toEqual([
    ...[there, taken(1), stored, retired(1n), stored],
    ...[stored, taken(2), there, stored, { stored: false }, retired(2n)],
  ]);
  expect(await plants.find([1n, 2n, 3n])).toEqual([1n, 2n, 3n].map(tombstone));
  // However often an id occurs.
  expect(create).toHaveBeenCalledTimes(2);
  expect(remove).toHaveBeenCalledExactlyOnceWith([1n, 3n, 2n], true);
});

it('stores plants with the time at which they were stored elsewhere', async () => {
  const { plants } = await open();
  const records = [
    { ...fern(), addedAt: 7 },
    { ...rose(), addedAt: null },
  ];
  expect(await importRecords(records, plants)).toEqual([stored, stored]);
  expect(await plants.find([1n, 2n])).toEqual([{ ...fern(), addedAt: 7 }, rose()]);
});

it('fails when the store refuses a record', async () => {
  const { plants, create, remove } = await open();
  const away = new ServiceError('database_unavailable', 'away');
  create.mockResolvedValueOnce([away]);
  await expect(importRecords([fern()], plants)).rejects.toBe(away);
  remove.mockResolvedValueOnce([away]);
  await expect(importRecords([tombstone(1n)], plants)).rejects.toBe(away);
  create.mockResolvedValueOnce([]).mockResolvedValueOnce([away]);
  await expect(importRecords([tombstone(1n), fern()], plants)).rejects.toBe(away);
});
