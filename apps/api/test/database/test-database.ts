/** A new database for a test, as a program beside the service sees it: what is there is committed. */
export interface TestDatabase {
  /** What `DATABASE_URL` names it by. */
  readonly url: string;
  /** Runs one statement and gives its rows; a 64-bit integer has to be cast to text to be exact. */
  query<Row extends object>(sql: string): Promise<readonly Row[]>;
  /** Keeps the service from using it, until what this gives is called. */
  beginOutage(kind: OutageKind): Promise<() => Promise<void>>;
  /** All that is kept in it, as one text. */
  readEverything(): Promise<string>;
  remove(): Promise<void>;
}

/** Nobody but another program may read or write; or may write; see `beginOutage` of each engine. */
export type OutageKind = (typeof outageKinds)[number];

/** `closed`: the service can neither read nor write. `locked`: it can read, but another program has the plants locked. */
export const outageKinds = ['closed', 'locked'] as const;
