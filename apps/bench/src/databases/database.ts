/** A program that keeps plants, and makes a new database in it for each contestant that starts. */
export interface DatabaseEngine {
  /** Its name and version, for people. */
  readonly title: string;
  /** Makes an empty database; what it has of files goes into a folder of the contestant. */
  createDatabase(folder: string): Promise<Database>;
}

/** A database that a contestant runs over. */
export interface Database {
  /** What `DATABASE_URL` would say: `file:` and a path, or `postgresql://…`. */
  readonly url: string;
  /** How many plants it holds; its contestant has ended. */
  countPlants(): Promise<number>;
  /** Removes what of it lies outside the folder of its contestant. */
  remove(): Promise<void>;
}
