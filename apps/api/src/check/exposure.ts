import { BlockList, isIP } from 'node:net';
import type { Config } from '../config.js';
import { type Item, ok, type Result, warning } from './finding.js';

/** Which addresses other machines reach. */
export const exposure: Item<{ readonly config: Config }> = {
  name: 'exposure',
  inspect({ config: { host, admin } }) {
    const ofPort = isLoopback(host)
      ? ok(`HOST ${host} is reached from this machine only`)
      : warning(
          `HOST ${host} is reached by other machines, and the service speaks plain HTTP: tokens cross the network in clear text`,
          'Let only a reverse proxy that terminates TLS reach it, as docs/operate/deploy.md describes.',
        );
    if (admin === undefined || isLoopback(admin.host)) return [ofPort];
    const ofAdminPort = warning(
      `ADMIN_HOST ${admin.host} shows metrics to other machines, without a token`,
      'Let only monitoring and load balancers reach it, or set ADMIN_HOST to 127.0.0.1.',
    );
    return [ofPort, ofAdminPort];
  },
};

/** How PostgreSQL is reached: its address or the folder of its socket, and the `sslmode` of the URI if it has one. */
export interface Transport {
  readonly host: string;
  readonly hasTls: boolean;
  readonly mode: string | null;
}

/** Whether others on the network could read what is sent to the server, or answer in its place. */
export function assessEncryption({ host, hasTls, mode }: Transport): Result {
  const isHere = host.startsWith('/') || isLoopback(host);
  const advice =
    'Set sslmode=verify-full in DATABASE_URL, and sslrootcert to the file of the CA unless it is a public one.';
  const encrypted = `the connection to ${host} is encrypted`;
  if (!hasTls && isHere) return ok(`not needed: ${host} is on this machine`);
  if (!hasTls)
    return warning(
      `the connection to ${host} is not encrypted: others may read plants and hashes of tokens`,
      advice,
    );
  if (mode === 'require' && !isHere)
    return warning(`${encrypted}, but the server's certificate is not checked`, advice);
  return ok(`${encrypted}${mode === null ? '' : ` (sslmode=${mode})`}`);
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether an address or a name can only lead to this machine. */
function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const version = isIP(host);
  return version !== 0 && loopback.check(host, version === 4 ? 'ipv4' : 'ipv6');
}
