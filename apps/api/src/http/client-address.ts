import { isIP } from 'node:net';
import { shorten } from '@plant-store/contract/messages';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** The names of ranges that Express has. */
const names = ['loopback', 'linklocal', 'uniquelocal'];

/**
 * Parses a `TRUSTED_PROXIES`: addresses, CIDR ranges and names of ranges, separated by commas, as Express's setting
 * `trust proxy` takes them.
 *
 * @returns the parts, or what is wrong, as the rest of a sentence that begins with "TRUSTED_PROXIES"
 */
export function parseTrustedProxies(list: string): readonly string[] | { readonly problem: string } {
  const proxies = list === '' ? [] : list.split(',').map((proxy) => proxy.trim());
  const invalid = proxies.find((proxy) => !names.includes(proxy) && !isRange(proxy));
  if (invalid === undefined) return proxies;
  return {
    problem: `must be addresses of proxies separated by commas, each an IP address, a range such as 10.1.0.0/16 or \
fd00:1::/64, or ${names.join(', ')}; "${shorten(invalid)}" is not`,
  };
}

/** Where Express looks for IPv4 addresses in a range of IPv6: ::ffff:0:0/96. */
const ipv4Mapped = ipaddr.IPv6.parse('::ffff:0:0');

/**
 * Whether a text is an address or a range of addresses. One with every address, or with every IPv4 address, is none: whoever
 * trusts them all trusts the clients.
 */
function isRange(text: string): boolean {
  const [, address = '', digits] = /^([^/%]+)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  // Express accepts what both accept.
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return false;
  if (digits === undefined) return true;
  const parsed = ipaddr.parse(address);
  const prefix = Number(digits);
  if ('octets' in parsed) return prefix <= 32;
  return prefix <= 128 && (prefix > 96 || !ipv4Mapped.match(parsed, prefix));
}

/**
 * Reads the address of the client of a request: that of the connection, or if that is a trusted proxy, the last address
 * in `X-Forwarded-For` that is none, with or without a port. Where this is no valid address, that of the proxy counts that
 * has sent it.
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
  // ipaddr.js alone would take 1 and 0x7f.1 for addresses, and it rejects some that are outdated, such as ::192.0.2.1.
  if (isIP(plain) === 0 || !ipaddr.isValid(plain)) return undefined;
  // ::ffff:192.0.2.1 is 192.0.2.1.
  const parsed = ipaddr.process(plain);
  if ('octets' in parsed) return parsed.toString();
  const network = new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${network.toString()}/64`;
}
