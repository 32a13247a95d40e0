/** A program that keeps plants, and makes a new database in it for each target that starts. */
export interface DatabaseEngine {
  /** Its name and version, for people. */
  readonly title: string;
  /** Makes an empty database; what it has of files goes into a folder of the target. */
  createDatabase(folder: string): Promise<Database>;
}

/** A database that a target runs over. */
export interface Database {
  /** What `DATABASE_URL` would say: `file:` and a path, or `postgresql://…`. */
  readonly url: string;
  /** How many plants it holds; its target has ended. */
  countPlants(): Promise<number>;
  /** Removes what of it lies outside the folder of its target. */
  remove(): Promise<void>;
}
