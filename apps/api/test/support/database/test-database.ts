/** A new database for a test, as a program beside the service sees it: what is there is committed. */
export interface TestDatabase {
  /** What `DATABASE_URL` names it by. */
  readonly url: string;
  /** Runs one statement and gives its rows; a 64-bit integer has to be cast to text to be exact. */
  query<Row extends object>(sql: string): Promise<readonly Row[]>;
  /** Keeps the service from using it, until what this gives is called. */
  beginOutage(kind: OutageKind): Promise<() => Promise<void>>;
  /** Damages it beyond use, so that whoever uses it next finds out. */
  damage(): Promise<void>;
  /** Has the engine pass over every plant of a name from now on, without an error, as a trigger can. */
  passOver(name: string): Promise<void>;
  /** All that is kept in it, as one text. */
  readEverything(): Promise<string>;
  remove(): Promise<void>;
}

/**
 * How a database comes not to answer the service. `closed`: it lets the service in no more, where the engine can do so;
 * `locked`: another program has the plants locked. A SQLite file can be read throughout both.
 */
export const outageKinds = ['closed', 'locked'] as const;
export type OutageKind = (typeof outageKinds)[number];
