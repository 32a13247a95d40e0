import type { Config } from './config.js';
import { createGracefulShutdown, listen } from './http/listen.js';
import { type AdminDependencies, createAdminServer } from './observe/admin-server.js';
import { stopTimeouts } from './runtime/stop-timeouts.js';

/** The admin port of a service. */
export interface AdminPort {
  /** Where it listens, such as `http://127.0.0.1:3001`; `undefined` without one. */
  readonly adminUrl: string | undefined;
  /** Answers the requests in flight, and closes it. */
  close(): Promise<void>;
}

/**
 * Listens on the admin port, if there is one.
 *
 * @throws {OperatorError} when the address cannot be listened on
 */
export async function openAdminPort(admin: Config['admin'], parts: AdminDependencies): Promise<AdminPort> {
  if (admin === undefined) return { adminUrl: undefined, close: async () => undefined };
  const server = createAdminServer(parts);
  const stop = createGracefulShutdown(server);
  const adminUrl = await listen(server, admin.host, admin.port, 'ADMIN_');
  return { adminUrl, close: async () => void (await stop(stopTimeouts.adminMs)) };
}
