import { isIP } from 'node:net';

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
fd00:1::/64, or ${names.join(', ')}; "${invalid}" is not`,
  };
}

/** Whether a text is an address or a range of addresses. /0 is none: whoever trusts every address trusts the clients. */
function isRange(text: string): boolean {
  const [, address = '', prefix] = /^([^/%]+)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(prefix ?? 1) <= (version === 4 ? 32 : 128);
}
