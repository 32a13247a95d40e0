/** A new database for a test. It is accessed on separate connections, which see only committed data. */
export interface TestDatabase {
  /** Its `DATABASE_URL`. */
  readonly url: string;
  /** Runs one statement and returns its rows; cast 64-bit integers to text to keep them exact. */
  query<Row extends object>(sql: string): Promise<readonly Row[]>;
  /** Makes it unavailable to the service until the returned function is called. */
  beginOutage(kind: OutageKind): Promise<() => Promise<void>>;
  /** Corrupts it, so that the next access fails. */
  damage(): Promise<void>;
  /** Makes the engine silently ignore inserts of plants with a name, as a trigger can. */
  ignoreInserts(name: string): Promise<void>;
  /** Reads everything stored in it, as one text. */
  readEverything(): Promise<string>;
  remove(): Promise<void>;
}

/**
 * Why a database is unavailable. `closed`: it accepts no connections from the service, where the engine supports that;
 * `locked`: another program has locked the plants. A SQLite file stays readable in both cases.
 */
export const outageKinds = ['closed', 'locked'] as const;
export type OutageKind = (typeof outageKinds)[number];
