import { importJWK, type JWK } from 'jose';
import { fitsAlgorithm } from './fits-algorithm.js';

/**
 * Finds the public keys in a key set that can verify signatures of one of the algorithms. Other members are ignored, such as
 * those of an unknown type, incomplete ones, and what is no key at all (RFC 7517, section 5).
 */
export async function findUsableKeys(
  members: readonly unknown[],
  algorithms: readonly string[],
): Promise<JWK[]> {
  const keys = members.filter((member) => typeof member === 'object' && member !== null);
  const usable = await Promise.all(keys.map((key) => isUsable(key, algorithms)));
  return keys.filter((_, index) => usable[index]);
}

async function isUsable(key: JWK, algorithms: readonly string[]): Promise<boolean> {
  const fitting = algorithms.filter((algorithm) => fitsAlgorithm(key, algorithm));
  const imported = await Promise.allSettled(fitting.map((algorithm) => importJWK(key, algorithm)));
  // A symmetric key is imported as bytes.
  return imported.some(
    (result) => result.status === 'fulfilled' && 'type' in result.value && result.value.type === 'public',
  );
}
