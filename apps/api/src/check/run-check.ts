import type { Config } from '../config.js';
import type { ConfigurationError } from '../errors/operator-error.js';
import { configuration, type Environment, findMisspelled } from './configuration.js';
import { exposure } from './exposure.js';
import { type Finding, failure, type Item, inspectAll } from './finding.js';
import { identityProvider } from './identity-provider.js';
import { openFiles } from './open-files.js';
import { ports } from './ports.js';
import { runtime } from './runtime.js';
import { workers } from './workers.js';

/** What the check depends on besides the database. */
export interface CheckContext {
  readonly config: Config;
  /** The variables that the configuration was parsed from. */
  readonly environment: Environment;
  /** The working folder. */
  readonly folder: string;
  /** The current time of this machine, in milliseconds since the epoch. */
  now(): number;
}

/** What is examined whatever the database; to add an item, add it here or to those of an engine. */
const items: readonly Item<CheckContext>[] = [
  configuration,
  runtime,
  workers,
  openFiles,
  exposure,
  ports,
  identityProvider,
];

/**
 * Examines an installation, which may be running, and changes nothing; yields each finding as it is made. Only the code of
 * its engine is loaded.
 */
export async function* runCheck(context: CheckContext): AsyncGenerator<Finding> {
  yield* inspectAll(items, context);
  yield* inspectDatabase(context);
}

async function* inspectDatabase({ config, now }: CheckContext): AsyncGenerator<Finding> {
  const { database } = config;
  const tokens = { now, acceptsJwts: config.jwt !== undefined };
  switch (database.engine) {
    case 'sqlite': {
      const { inspectSqlite } = await import('./inspect-sqlite.js');
      return yield* inspectSqlite(database, tokens);
    }
    case 'postgresql': {
      const { inspectPostgresql } = await import('./inspect-postgresql.js');
      return yield* inspectPostgresql(database, tokens);
    }
  }
}

/** What can be examined without a valid configuration: every invalid setting, and what does not depend on any. */
export function runCheckWithoutConfig(
  { issues }: ConfigurationError,
  environment: Environment,
): AsyncGenerator<Finding> {
  const invalid: Item<undefined> = {
    name: 'configuration',
    inspect: () => [...issues.map((issue) => failure(issue)), ...findMisspelled(environment)],
  };
  return inspectAll([invalid, runtime, openFiles], undefined);
}
