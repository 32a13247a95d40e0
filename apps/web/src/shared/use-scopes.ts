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
    // Otherwise mounted components would keep the scopes of another token.
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

/** Whether the page offers actions that require a scope: yes, unless the token is known to lack it. */
export function useMay(scope: Scope): boolean {
  return useScopes()?.includes(scope) ?? true;
}

/** The words for what each scope permits, in the order of lists. */
export const verbs: readonly (readonly [Scope, string])[] = [
  ['read', 'see'],
  ['create', 'add'],
  ['update', 'edit'],
  ['delete', 'delete'],
];

/** Describes in a sentence what a token may and may not do. */
export function describeScopes(scopes: readonly Scope[]): string {
  const list = (isPermitted: boolean) =>
    new Intl.ListFormat('en-US', { type: isPermitted ? 'conjunction' : 'disjunction' }).format(
      verbs.filter(([scope]) => scopes.includes(scope) === isPermitted).map(([, verb]) => verb),
    );
  const [may, lacks] = [list(true), list(false)];
  if (may === '') return 'This token has no plant permissions.';
  return `This token can ${may} plants${lacks === '' ? '' : `, but not ${lacks} them`}.`;
}
