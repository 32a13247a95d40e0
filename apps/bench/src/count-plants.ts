import Database from 'better-sqlite3';

/** How many plants a SQLite file holds; nobody else has it open. */
export function countPlants(databasePath: string): number {
  const database = new Database(databasePath, { fileMustExist: true });
  try {
    return database.prepare<[], number>('SELECT count(*) FROM plants').pluck().get() ?? 0;
  } finally {
    database.close();
  }
}
