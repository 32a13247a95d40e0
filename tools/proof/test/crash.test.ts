import { expect, it } from 'vitest';
import { crashSqlite } from '../src/crash/crash-sqlite.js';
import { isNightly } from './support/is-nightly.js';
import { shortContext } from './support/short-context.js';

it('a 200 survives crashes of the service on SQLite', async () => {
  const { figures, failures } = await crashSqlite(shortContext(20_261_123));
  expect(failures).toEqual([]);
  const nothing = { lost: 0, 'lost deletes': 0, phantom: 0, double: 0 };
  expect(figures).toMatchObject({ kills: isNightly ? 8 : 3, ...nothing });
  expect(Number(figures['acknowledged'])).toBeGreaterThan(100);
  expect(Number(figures['deleted'])).toBeGreaterThan(10);
});
