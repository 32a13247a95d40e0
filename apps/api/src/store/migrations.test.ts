import { expect, it } from 'vitest';
import { findPendingMigrations, type LedgerRow } from './migrations.js';

const migrations = ['1_first', '2_second', '3_third'].map((name) => ({
  name,
  sql: '',
  checksum: `of ${name}`,
}));
const row = (migrationName: string, change: Partial<LedgerRow> = {}): LedgerRow => ({
  migrationName,
  checksum: `of ${migrationName}`,
  finished: true,
  rolledBack: false,
  ...change,
});
const pending = (...ledger: LedgerRow[]) => findPendingMigrations(migrations, ledger).map(({ name }) => name);

it('finds what is not applied yet', () => {
  expect(pending()).toEqual(['1_first', '2_second', '3_third']);
  expect(pending(row('1_first'), row('2_second'))).toEqual(['3_third']);
  expect(pending(row('1_first'), row('2_second'), row('3_third'))).toEqual([]);
});

it('applies a migration again that was rolled back', () => {
  const rolledBack = row('2_second', { finished: false, rolledBack: true });
  expect(pending(row('1_first'), rolledBack)).toEqual(['2_second', '3_third']);
});

it.each([
  { invalid: row('1_first', { finished: false }), message: '1_first failed halfway' },
  { invalid: row('1_first', { checksum: 'of something else' }), message: '1_first was edited' },
  { invalid: row('4_fourth'), message: '4_fourth, which this version does not have' },
])('rejects a ledger that does not match: $message', ({ invalid, message }) => {
  expect(() => pending(invalid)).toThrow(message);
});
