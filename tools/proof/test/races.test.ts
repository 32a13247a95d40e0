import { expect, it } from 'vitest';
import { kindsOfRaces, raceOn } from '../src/races/races.js';
import { isNightly } from './support/is-nightly.js';
import { shortContext } from './support/short-context.js';

// Only in the mode `nightly` with workers and on PostgreSQL, which starts several processes.
it.each(isNightly ? kindsOfRaces : (['races-sqlite'] as const))(
  'of a create and a delete of one id one comes first: %s',
  async (kind) => {
    const { figures, failures } = await raceOn(kind, shortContext(20_261_125));
    const pairs = isNightly ? 200 : 50;
    expect(failures).toEqual([]);
    expect(figures).toMatchObject({ acknowledged: 2 * pairs, lost: 0, 'lost deletes': 0, phantom: 0 });
    for (const of of ['a new', 'a stored']) {
      const createFirst = Number(figures[`of ${of} plant create first`]);
      expect(figures[`pairs of ${of} plant`]).toBe(pairs);
      expect(createFirst).toBeGreaterThan(0);
      expect(createFirst).toBeLessThan(pairs);
    }
  },
);
