import type { Registry } from 'prom-client';
import type { AccessTokens, Verification } from '../auth/access-tokens.js';
import { tokenRejections } from '../auth/token-rejections.js';
import { createCounter } from './create-counter.js';

/** Counts how many access tokens were verified, with which result, and how many of them needed no look-up. */
export function countTokenChecks(accessTokens: AccessTokens, registry: Registry): AccessTokens {
  const outcomes = ['valid', ...Object.keys(tokenRejections), 'insufficient_scope'];
  const countCheck = createCounter(
    registry,
    {
      name: 'plant_store_token_checks_total',
      help: `Access tokens that were verified, by outcome: ${outcomes.join(', ')}`,
      labels: ['outcome'],
    },
    outcomes,
  );
  const countLookup = createCounter(registry, {
    name: 'plant_store_token_lookups_total',
    help: 'Verifications that the cache did not answer: they read the database, or checked a signature',
    labels: [],
  });
  const count = (verification: Verification): Verification => {
    countCheck(verification.status);
    return verification;
  };
  return {
    ...accessTokens,
    verifyCached(text) {
      const verification = accessTokens.verifyCached(text);
      return verification && count(verification);
    },
    verify(text) {
      const verification = accessTokens.verify(text);
      if (!(verification instanceof Promise)) return count(verification);
      countLookup();
      return verification.then(count);
    },
  };
}
