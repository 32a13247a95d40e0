/** A database engine that creates a new database for each target. */
export interface DatabaseEngine {
  /** Its name and version. */
  readonly title: string;
  /** Creates an empty database; its files, if it has any, go into the folder of the target. */
  createDatabase(folder: string): Promise<Database>;
}

/** The database of a target. */
export interface Database {
  /** The value for `DATABASE_URL`: `file:` and a path, or `postgresql://…`. */
  readonly url: string;
  /** Counts its plants, once its target has ended. */
  countPlants(): Promise<number>;
  /** Removes everything that it has outside the folder of its target. */
  remove(): Promise<void>;
}
