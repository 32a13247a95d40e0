import type { Registry } from 'prom-client';
import type { TokenVerifier, Verification } from '../auth/token-service.js';
import { tokenRejections } from '../auth/token-service.js';
import { createCounter } from './create-counter.js';

/** Creates what counts the results of verifications; it returns each as it is. */
export function createCheckCounter(
  registry: Registry,
): <Result extends Verification>(result: Result) => Result {
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
  return (result) => {
    countCheck(result.status);
    return result;
  };
}

/** Counts how many access tokens were verified, with which result, and how many of them needed no look-up. */
export function countTokenChecks<Tokens extends TokenVerifier>(
  accessTokens: Tokens,
  registry: Registry,
): Tokens {
  const count = createCheckCounter(registry);
  const countLookup = createCounter(registry, {
    name: 'plant_store_token_lookups_total',
    help: 'Verifications that the cache did not answer: they read the database, or checked a signature',
    labels: [],
  });
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
