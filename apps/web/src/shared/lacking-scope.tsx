import type { Scope } from '@plant-store/contract/access-token';
import { describeScopes } from './use-scopes.js';

/** Shown in place of an action that the token does not permit. Says what the token permits. */
export function LackingScope({ scopes }: { readonly scopes: readonly Scope[] }) {
  return (
    <p role="alert" className="message">
      {`${describeScopes(scopes)} Ask your administrator for more permissions.`}
    </p>
  );
}
