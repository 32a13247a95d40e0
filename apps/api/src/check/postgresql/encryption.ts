import { type Item, ok, type Result, warning } from '../finding.js';
import { isLoopback } from '../service/exposure.js';
import type { PostgresqlContext } from './postgresql-context.js';

/** Whether others on the network could read what is sent to the server, or answer in its place. */
export const encryption: Item<PostgresqlContext> = {
  name: 'TLS',
  inspect: ({ connection: { host, ssl }, location }) =>
    assessEncryption({ host, hasTls: Boolean(ssl), mode: new URL(location.url).searchParams.get('sslmode') }),
};

/** How the server is reached: its address or the folder of its socket, and the `sslmode` of the URI if it has one. */
export interface Transport {
  readonly host: string;
  readonly hasTls: boolean;
  readonly mode: string | null;
}

export function assessEncryption({ host, hasTls, mode }: Transport): Result {
  const advice =
    'Set sslmode=verify-full in DATABASE_URL, and sslrootcert to the file of the CA unless it is a public one.';
  if (!hasTls) {
    if (host.startsWith('/') || isLoopback(host)) return ok(`not needed: ${host} is on this machine`);
    return warning(
      `the connection to ${host} is not encrypted: others may read plants and hashes of tokens`,
      advice,
    );
  }
  if (mode === 'require' && !isLoopback(host)) {
    return warning(
      `the connection to ${host} is encrypted, but the server's certificate is not checked`,
      advice,
    );
  }
  return ok(`the connection to ${host} is encrypted${mode === null ? '' : ` (sslmode=${mode})`}`);
}
