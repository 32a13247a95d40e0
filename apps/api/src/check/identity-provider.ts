import type { JwtSettings } from '../auth/jwt-settings.js';
import { fetchKeySet, findUsableKeys } from '../auth/provider-keys.js';
import type { Config } from '../config.js';
import { messageOf } from '../errors/operator-error.js';
import { failure, type Item, ok, type Result, warning } from './finding.js';

/** Whether JSON Web Tokens, where they are accepted, can be verified, and who gets one that permits creates. */
export const identityProvider: Item<{ readonly config: Pick<Config, 'jwt'> }> = {
  name: 'identity provider',
  async inspect({ config: { jwt } }) {
    if (jwt === undefined) return [];
    const keys = await inspectKeys(jwt);
    if (jwt.requiredScope !== undefined || jwt.withoutScopes.length === 0) return keys;
    const scope = warning(
      'every token that it issues for the audience may create plants, also one without a scope',
      'Set JWT_SCOPES, unless the provider decides itself who gets such a token.',
    );
    return [keys, scope];
  },
};

async function inspectKeys({ jwksUrl, algorithms, keyTimes }: JwtSettings): Promise<Result> {
  const outcome = await fetchKeySet(jwksUrl, AbortSignal.timeout(keyTimes.timeoutMs)).catch(messageOf);
  if (typeof outcome === 'string')
    return failure(
      outcome,
      'Check JWT_JWKS_URL, the network and the provider. Without its keys JSON Web Tokens are rejected with 503.',
    );
  if (!Array.isArray(outcome?.keys))
    return failure(`${jwksUrl} did not answer with a key set`, 'Check JWT_JWKS_URL.');
  const usable = await findUsableKeys(outcome.keys, algorithms);
  const found = `${usable.length} of ${outcome.keys.length} keys fit ${algorithms.join(', ')}`;
  if (usable.length > 0) return ok(found);
  return failure(found, 'Set JWT_ALGORITHMS to those that the provider signs access tokens with.');
}
