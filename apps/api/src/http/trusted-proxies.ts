import { isIP } from 'node:net';
import { shorten } from '@plant-store/contract/messages';
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
