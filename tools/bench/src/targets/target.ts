/** A program that is measured. */
export interface Target {
  /** Its name in `--only` and in the results. */
  readonly name: string;
  /** Its title in tables and charts. */
  readonly title: string;
  /** What it consists of, in a sentence. */
  readonly about: string;
  /** Whether it checks tokens, validates, and stores plants; all but the baseline do. */
  readonly stores: boolean;
  /** What to install first where it cannot run on this machine; absent for those that always run. */
  whyLeftOut?(): string | undefined;
  /** Prepares its database, `file:` and a path or `postgresql://…`, and returns how to start its process. */
  prepare(databaseUrl: string): Promise<Launch>;
}

/** How to start the process of a target. */
export interface Launch {
  /** The path of its program. */
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The access token that it accepts. */
  readonly token: string;
}
