import type { ConfigurationError } from '../errors/operator-error.js';
import { exposure } from './exposure.js';
import { type Finding, failure, type Item, inspectAll } from './finding.js';
import { identityProvider } from './identity-provider.js';
import { type Environment, findMisspelled, type Settings, settings } from './settings.js';

export interface CheckContext extends Settings {
  /** The current time of this machine, in milliseconds since the epoch. */
  now(): number;
}

/** What is examined whatever the database; to add an item, add it here or to those of an engine. */
const items: readonly Item<CheckContext>[] = [settings, exposure, identityProvider];

/**
 * Examines an installation, which may be running, and changes nothing; yields each finding as it is made. Only the code of
 * its engine is loaded.
 */
export async function* runCheck(context: CheckContext): AsyncGenerator<Finding> {
  yield* inspectAll(items, context);
  const { database, jwt } = context.config;
  const tokens = { now: context.now, acceptsJwts: jwt !== undefined };
  switch (database.engine) {
    case 'sqlite': {
      const { inspectSqlite } = await import('./sqlite.js');
      return yield* inspectSqlite(database, tokens);
    }
    case 'postgresql': {
      const { inspectPostgresql } = await import('./postgresql.js');
      return yield* inspectPostgresql(database, tokens);
    }
  }
}

/** What can be examined without a valid configuration: every invalid setting, and those that are misspelled. */
export function runCheckWithoutConfig(
  { issues }: ConfigurationError,
  environment: Environment,
): AsyncGenerator<Finding> {
  const invalid: Item<undefined> = {
    name: 'configuration',
    inspect: () => [...issues.map((issue) => failure(issue)), ...findMisspelled(environment)],
  };
  return inspectAll([invalid], undefined);
}
