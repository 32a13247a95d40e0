import type { OwnToken } from '@plant-store/client';
import type { Scope } from '@plant-store/contract/access-token';
import { useQuery } from '@tanstack/react-query';
import { explain } from './explain.js';
import { usePlantStore } from './plant-store.js';

/** The token and what it permits; `undefined` as long as that is not known, such as from a service that does not say so. */
export function useOwnToken(): OwnToken | undefined {
  const { operations, sessionId } = usePlantStore();
  const { queryFn, queryKey } = operations.getOwnToken.queryOptions();
  const { data } = useQuery({
    queryFn,
    // What stays shown would otherwise go on with what another token permitted.
    queryKey: [...queryKey, sessionId],
    staleTime: Infinity,
    networkMode: 'always',
    retry: (_, error) => explain(error, 'read').about === 'later',
    retryDelay: 5_000,
  });
  return data;
}

/** What the token permits, as far as that is known. */
export function useScopes(): readonly Scope[] | undefined {
  return useOwnToken()?.scopes;
}

/** Whether the page offers what needs a scope: unless it is known that the token lacks it. */
export function useMay(scope: Scope): boolean {
  return useScopes()?.includes(scope) ?? true;
}

/** What people call what a scope permits, in the order in which it is listed. */
export const verbs: readonly (readonly [Scope, string])[] = [
  ['read', 'see'],
  ['create', 'add'],
  ['update', 'edit'],
  ['delete', 'delete'],
];

/** What a token may do and may not do, in a sentence. */
export function describeScopes(scopes: readonly Scope[]): string {
  const list = (isPermitted: boolean) =>
    new Intl.ListFormat('en-GB', { type: isPermitted ? 'conjunction' : 'disjunction' }).format(
      verbs.filter(([scope]) => scopes.includes(scope) === isPermitted).map(([, verb]) => verb),
    );
  const [may, lacks] = [list(true), list(false)];
  if (may === '') return 'This token has no plant permissions.';
  return `This token can ${may} plants${lacks === '' ? '' : `, but not ${lacks} them`}.`;
}
