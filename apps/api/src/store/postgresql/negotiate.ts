import { messageOf } from '../../errors/operator-error.js';
import type { PostgresqlLocation } from '../database-location.js';
import { connectionSettings, withConnection } from './connection.js';

/** Whether the server has no TLS, or the user may only connect without it. */
const hasNoTls = (message: string) =>
  message.includes('does not support SSL connections') ||
  (message.includes('no pg_hba.conf entry') && /SSL (encryption|on)$/.test(message));
/** A pooler of a provider, which cannot be told to ignore them, as PgBouncer can. */
const noOptions = /unsupported startup parameter in options/;

/** What the operator should know about a pooler. */
export interface PoolerNote {
  readonly found: string;
  readonly advice: string;
}

/**
 * Finds out by connecting what a location leaves to the server: with `sslmode=prefer`, whether connections are encrypted, and whether a
 * pooler takes the settings of a session.
 *
 * @returns the location for all further connections
 * @throws {Error} any other error of the connection
 */
export async function negotiate(
  location: PostgresqlLocation,
  warn: (note: PoolerNote) => void = () => undefined,
): Promise<PostgresqlLocation> {
  try {
    await withConnection(
      connectionSettings(location, location.timeouts.startConnectMs),
      async () => undefined,
    );
    return location;
  } catch (error) {
    const message = messageOf(error);
    const url = new URL(location.url);
    if (url.searchParams.get('sslmode') === 'prefer' && hasNoTls(message)) {
      url.searchParams.set('sslmode', 'disable');
      return negotiate({ ...location, url: url.href }, warn);
    }
    // With another schema, tables would be in the wrong one.
    if (location.schema !== 'public' || location.withoutOptions || !noOptions.test(message)) throw error;
    warn({
      found: 'the pooler in front of the database takes no statement_timeout',
      advice: "Set it for the user: ALTER ROLE … SET statement_timeout = '5s'.",
    });
    return { ...location, withoutOptions: true };
  }
}
