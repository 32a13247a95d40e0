import { expect, it } from 'vitest';
import { crashPostgresql } from '../src/crash/crash-postgresql.js';
import { crashSqlite } from '../src/crash/crash-sqlite.js';

const context = { seed: 20_261_123, amount: 'short', settings: {}, log: () => undefined } as const;

it('a 200 survives crashes of the service on SQLite', async () => {
  const { figures, failures } = await crashSqlite(context);
  expect(failures).toEqual([]);
  expect(figures).toMatchObject({ kills: 8, lost: 0, phantom: 0, double: 0 });
  expect(Number(figures['acknowledged'])).toBeGreaterThan(100);
});

// It finds the processes of PostgreSQL as Linux lists them.
it.runIf(process.platform === 'linux')(
  'a 200 survives crashes of PostgreSQL, of the service on it, and of both',
  async () => {
    const { figures, failures } = await crashPostgresql(context);
    expect(failures).toEqual([]);
    expect(figures).toMatchObject({ kills: 3, 'of PostgreSQL': 1, lost: 0, phantom: 0, double: 0 });
    expect(Number(figures['acknowledged'])).toBeGreaterThan(100);
  },
);
