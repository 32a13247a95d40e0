import type { OwnToken } from '@plant-store/client';
import type { Scope } from '@plant-store/contract/access-token';
import { useQuery } from '@tanstack/react-query';
import { explain } from './explain.js';
import { usePlantStore } from './plant-store.js';

/** Returns the session's token with its scopes, or `undefined` if they are unknown. An older service does not return them. */
export function useOwnToken(): OwnToken | undefined {
  const { operations, sessionId } = usePlantStore();
  const { queryFn, queryKey } = operations.getOwnToken.queryOptions();
  const { data } = useQuery({
    queryFn,
    // When the user switches to another token, mounted components must not keep the previous token's scopes.
    queryKey: [...queryKey, sessionId],
    staleTime: Infinity,
    networkMode: 'always',
    retry: (_, error) => explain(error, 'read').about === 'later',
    retryDelay: 5_000,
  });
  return data;
}

/** Returns the token's scopes, or `undefined` if they are unknown. */
export function useScopes(): readonly Scope[] | undefined {
  return useOwnToken()?.scopes;
}

/** Returns whether to offer actions that require a scope. Returns `true` unless the token is known to lack the scope. */
export function useHasScope(scope: Scope): boolean {
  return useScopes()?.includes(scope) ?? true;
}

/** The verbs for what the scopes permit, in the order in which sentences list them. */
export const scopeVerbs: readonly (readonly [Scope, string])[] = [
  ['read', 'see'],
  ['create', 'add'],
  ['update', 'edit'],
  ['delete', 'delete'],
];

/** Returns a sentence that describes what a token can and cannot do. */
export function describeScopes(scopes: readonly Scope[]): string {
  const listVerbs = (isPermitted: boolean) =>
    new Intl.ListFormat('en-US', { type: isPermitted ? 'conjunction' : 'disjunction' }).format(
      scopeVerbs.filter(([scope]) => scopes.includes(scope) === isPermitted).map(([, verb]) => verb),
    );
  const [granted, missing] = [listVerbs(true), listVerbs(false)];
  if (granted === '') return 'This token has no plant permissions.';
  return `This token can ${granted} plants${missing === '' ? '' : `, but not ${missing} them`}.`;
}
