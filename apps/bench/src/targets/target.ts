/** One of those that are measured. */
export interface Target {
  /** What `--only` calls it. */
  readonly name: string;
  /** What tables and charts call it. */
  readonly title: string;
  /** What it is made of, in a sentence. */
  readonly about: string;
  /** Whether it checks tokens, validates, and stores plants; all but the baseline do. */
  readonly stores: boolean;
  /** Prepares its database, `file:` and a path or `postgresql://…`, and tells how its process is started. */
  prepare(databaseUrl: string): Promise<Launch>;
}

/** How the process of a target is started. */
export interface Launch {
  readonly script: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The access token that it accepts. */
  readonly token: string;
}
