/** The files to examine. */
export interface SqliteFiles {
  /** The database file; it may not exist yet. */
  readonly path: string;
  /** The folder of the file, or the one above it that exists. */
  readonly folder: string;
}
