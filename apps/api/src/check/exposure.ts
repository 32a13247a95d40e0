import { BlockList, isIP } from 'node:net';
import type { Config } from '../config.js';
import { type Item, ok, type Result, warning } from './finding.js';

/** Which addresses other machines reach. */
export const exposure: Item<{ readonly config: Config }> = {
  name: 'exposure',
  inspect: ({ config: { host, admin } }) => [
    ...assessHost(host),
    ...(admin ? assessAdminHost(admin.host) : []),
  ],
};

function assessHost(host: string): readonly Result[] {
  if (isLoopback(host)) return [ok(`HOST ${host} is reached from this machine only`)];
  return [
    warning(
      `HOST ${host} is reached by other machines, and the service speaks plain HTTP: tokens cross the network in clear text`,
      'Let only a reverse proxy that terminates TLS reach it, as docs/deploy.md describes.',
    ),
  ];
}

function assessAdminHost(host: string): readonly Result[] {
  if (isLoopback(host)) return [];
  return [
    warning(
      `ADMIN_HOST ${host} shows metrics to other machines, without a token`,
      'Let only monitoring and load balancers reach it, or set ADMIN_HOST to 127.0.0.1.',
    ),
  ];
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether an address or a name can only lead to this machine. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const version = isIP(host);
  return version !== 0 && loopback.check(host, version === 4 ? 'ipv4' : 'ipv6');
}
