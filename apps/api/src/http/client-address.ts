import { isIP } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/**
 * Reads the address of the client of a request: that of the connection, or if that is a trusted proxy, the last address in
 * `X-Forwarded-For` that is not one, with or without a port. If this is not a valid address, the address of the proxy that sent it counts.
 *
 * @returns an IPv4 address, or the /64 network of an IPv6 address, which usually is one household or machine
 */
export function readClientAddress(request: Request): string {
  const candidates = [...request.ips, request.socket.remoteAddress ?? ''];
  const address = candidates.map(toNetwork).find((network) => network !== undefined);
  // A client that has disconnected has none.
  return address ?? 'unknown';
}

function toNetwork(address: string): string | undefined {
  // Some proxies report 192.0.2.1:4711 and [2001:db8::7]:4711.
  const [, ipv6, ipv4] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/.exec(address) ?? [];
  // Without the zone of a link-local address.
  const [plain = ''] = (ipv6 ?? ipv4 ?? address).split('%', 1);
  // Both checks are needed: ipaddr.js would accept 1 and 0x7f.1, and it rejects outdated addresses, such as ::192.0.2.1.
  if (isIP(plain) === 0 || !ipaddr.isValid(plain)) return undefined;
  // ::ffff:192.0.2.1 is 192.0.2.1.
  const parsed = ipaddr.process(plain);
  if ('octets' in parsed) return parsed.toString();
  const network = new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${network.toString()}/64`;
}
