import type { OwnToken } from '@plant-store/client';
import type { Scope } from '@plant-store/contract/access-token';
import { useQuery } from '@tanstack/react-query';
import { explain } from './explain.js';
import { usePlantStore } from './plant-store.js';

/** The token and its scopes; `undefined` while unknown, for example with a service that does not return them. */
export function useOwnToken(): OwnToken | undefined {
  const { operations, sessionId } = usePlantStore();
  const { queryFn, queryKey } = operations.getOwnToken.queryOptions();
  const { data } = useQuery({
    queryFn,
    // With another token, mounted components must not keep the scopes of the previous one.
    queryKey: [...queryKey, sessionId],
    staleTime: Infinity,
    networkMode: 'always',
    retry: (_, error) => explain(error, 'read').about === 'later',
    retryDelay: 5_000,
  });
  return data;
}

/** The scopes of the token, as far as known. */
export function useScopes(): readonly Scope[] | undefined {
  return useOwnToken()?.scopes;
}

/** Whether to offer actions that require a scope. `true` unless the token is known to lack it. */
export function useHasScope(scope: Scope): boolean {
  return useScopes()?.includes(scope) ?? true;
}

/** The verb for what each scope permits, in the order of sentences. */
export const scopeVerbs: readonly (readonly [Scope, string])[] = [
  ['read', 'see'],
  ['create', 'add'],
  ['update', 'edit'],
  ['delete', 'delete'],
];

/** Describes in a sentence what a token may and may not do. */
export function describeScopes(scopes: readonly Scope[]): string {
  const listVerbs = (isPermitted: boolean) =>
    new Intl.ListFormat('en-US', { type: isPermitted ? 'conjunction' : 'disjunction' }).format(
      scopeVerbs.filter(([scope]) => scopes.includes(scope) === isPermitted).map(([, verb]) => verb),
    );
  const [granted, missing] = [listVerbs(true), listVerbs(false)];
  if (granted === '') return 'This token has no plant permissions.';
  return `This token can ${granted} plants${missing === '' ? '' : `, but not ${missing} them`}.`;
}
