/** Ledgers of migrations that make a database unusable: what the database is from, the SQL that creates the ledger, and the error. */
export const unusableLedgers: readonly (readonly [is: string, sql: string, reported: string])[] = [
  ['a newer version', `UPDATE _prisma_migrations SET migration_name = '3'`, 'which this version does not'],
  ['an edited migration', `UPDATE _prisma_migrations SET checksum = 'x'`, 'was edited after it was'],
  ['another program', 'DROP TABLE _prisma_migrations', 'belongs to another program'],
];
