import type pg from 'pg';
import { withTimeout } from '../../../runtime/with-timeout.js';

/** How long closing a connection may take, in milliseconds. */
const closeTimeoutMs = 1_000;

/** Closes a connection, or cuts it off where the server does not answer, so that it does not keep the process running. */
export async function endConnection(connection: pg.Client): Promise<void> {
  await withTimeout(
    connection.end().catch(() => undefined),
    closeTimeoutMs,
    () => void connection.connection.stream.destroy(),
  );
}
