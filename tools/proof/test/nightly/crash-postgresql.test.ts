import { expect, it } from 'vitest';
import { crashPostgresql } from '../../src/crash/crash-postgresql.js';
import { shortContext } from '../support/short-context.js';

// Not by default: it starts PostgreSQL and the service several times; `crash.test.ts` has the crash that is cheapest.
// It needs the list of children that processes have on Linux.
it.runIf(process.platform === 'linux')(
  'a 200 survives crashes of PostgreSQL, of the service on it, and of both',
  async () => {
    const { figures, failures } = await crashPostgresql(shortContext(20_261_123));
    expect(failures).toEqual([]);
    const nothing = { lost: 0, 'lost deletes': 0, phantom: 0, double: 0 };
    expect(figures).toMatchObject({ kills: 3, 'of PostgreSQL': 1, ...nothing });
    expect(Number(figures['acknowledged'])).toBeGreaterThan(100);
    expect(Number(figures['deleted'])).toBeGreaterThan(10);
  },
);
