import type { JWK } from 'jose';

/** Whether a public key may verify signatures of an algorithm (RFC 7518, section 3.1; RFC 8037, section 3.1). */
export function fitsAlgorithm({ kty, alg, use = 'sig' }: JWK, algorithm: string): boolean {
  if (use !== 'sig') return false;
  if (alg !== undefined) return alg === algorithm;
  if (/^[RP]S/.test(algorithm)) return kty === 'RSA';
  return kty === (algorithm.startsWith('ES') ? 'EC' : 'OKP');
}
