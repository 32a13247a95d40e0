import type { Scope } from '@plant-store/contract/access-token';
import { describeScopes } from './use-scopes.js';

/** Replaces an action that the token does not permit, and shows what the token permits. */
export function MissingScope({ scopes }: { readonly scopes: readonly Scope[] }) {
  return (
    <p role="alert" className="message">
      {`${describeScopes(scopes)} Ask your administrator for more permissions.`}
    </p>
  );
}
