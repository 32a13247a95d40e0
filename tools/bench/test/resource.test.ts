import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import { cursorsOf } from '@plant-store/records';
import Sqlite from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { garden, newGardenSchema } from '../../../packages/records/test/garden.js';
import { sqlite } from '../src/databases.js';
import { exampleOf, fieldFor } from '../src/resource.js';
import { batchSize, operationsOf } from '../src/send-load.js';

it('requests of any resource have its paths, and bodies that its schema takes', () => {
  const { create, get, page, batch } = operationsOf(garden);
  const example = exampleOf(garden, 10 ** 15);
  expect(newGardenSchema.safeParse(example).data).toMatchObject({ id: 10n ** 15n, name: 'East' });
  expect(create.body).toBe(stringifyExactJson(example));
  expect(batch.body).toBe(stringifyExactJson({ gardens: Array(batchSize).fill(example) }));
  const paths = ['/gardens', '/gardens/1000000000000000', '/gardens/batch'];
  expect([create.path, get.path, batch.path]).toEqual(paths);
  const after = new URL(page.path, 'http://service').searchParams.get('after') ?? '';
  expect(cursorsOf(garden).read({}, after)).toMatchObject({ position: { id: 10n ** 15n } });
  expect([fieldFor(garden, 'search'), fieldFor(garden, 'filter')]).toEqual(['name', 'area']);
});

it('records of any resource are counted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { url, countRecords } = await sqlite.createDatabase(folder);
  const file = new Sqlite(url.replace('file:', ''));
  file.exec('CREATE TABLE gardens (id INTEGER, deleted INTEGER); INSERT INTO gardens VALUES (1, 0), (2, 1)');
  file.close();
  expect(await countRecords(garden, 'NOT deleted')).toBe(1);
});
