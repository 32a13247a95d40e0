import { QueryClient, QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { Plants } from './plants/plants.js';
import { forgetLists } from './plants/use-plants.js';
import { queryOptions } from './query-options.js';
import { basePath, home, type Route, useRoute } from './route.js';
import { LoadBoundary, loadPart } from './shared/load-boundary.js';
import { PlantStoreProvider, usePlantStore } from './shared/plant-store.js';
import { RouteLink } from './shared/route-link.js';
import { checkToken } from './token/check-token.js';
import type { SignedIn } from './token/sign-in.js';
import { TokenPanel } from './token/token-panel.js';
import { useSession } from './token/use-session.js';

const ImportPlants = lazy(async () => {
  const { ImportPlants } = await loadPart(() => import('./import/import-plants.js'));
  return { default: ImportPlants };
});

const TokenSheet = lazy(async () => {
  const { TokenSheet } = await loadPart(() => import('./token/token-sheet.js'));
  return { default: TokenSheet };
});

const AddSheet = lazy(async () => {
  const { AddSheet } = await loadPart(() => import('./add/add-sheet.js'));
  return { default: AddSheet };
});

interface AppProps {
  readonly tokenFromAddress: string | undefined;
  /** What the reply of the identity provider in the address leads to, or why to nothing. */
  readonly signingIn?: Promise<SignedIn | string> | undefined;
}

/** The page: the token, and, once there is one, the plants and the ways to add some. */
export function App({ tokenFromAddress, signingIn }: AppProps) {
  const { session, use, keepIn, reject, renew, forget } = useSession(tokenFromAddress, signingIn);
  const route = useRoute();
  const header = useRef<HTMLElement>(null);
  const [isTokenOpen, setTokenOpen] = useState<boolean>();
  const { kept, active, asked, place } = session;
  const id = kept?.id;
  useEffect(() => {
    if (asked && active && id !== undefined) {
      header.current?.querySelector<HTMLElement>('[aria-current="page"]')?.focus();
    }
  }, [asked, active, id]);
  // What was loaded with one token, and why it was rejected, is not that of the next.
  const queryClient = useMemo(() => new QueryClient(queryOptions), [id, active]);
  return (
    <div className="page">
      <header ref={header} className="page-header">
        <img src={`${basePath}icon.svg`} alt="" width="40" height="40" />
        <h1>Plant Store</h1>
        {active && <Views route={route} />}
        <nav aria-label="Page" className="page-links">
          {active && (
            <>
              <button type="button" className="quiet" onClick={() => setTokenOpen(true)}>
                Access
              </button>
              <button type="button" className="quiet" onClick={forget}>
                Forget token
              </button>
            </>
          )}
          <a href={`${basePath}docs`}>API for developers</a>
        </nav>
      </header>
      <main>
        {session.notice !== undefined && (
          <p role="alert" className="message problem">
            {session.notice}
          </p>
        )}
        {session.waiting !== undefined && <p className="loading">{session.waiting}</p>}
        {!active && session.waiting === undefined && (
          <TokenPanel
            key={session.problem ?? ''}
            reason={session.problem}
            takeFocus={asked}
            place={place}
            hasWork={kept !== undefined}
            onToken={use}
          />
        )}
        {kept !== undefined && active && isTokenOpen !== undefined && (
          <Part>
            <TokenSheet
              isOpen={isTokenOpen}
              kept={kept}
              place={place}
              keepIn={keepIn}
              onClose={() => setTokenOpen(false)}
            />
          </Part>
        )}
        {kept !== undefined && (
          // Hidden, not removed, while the token is rejected: what was typed and what runs stays.
          <div hidden={!active}>
            <QueryClientProvider client={queryClient}>
              <PlantStoreProvider token={kept.token} renewToken={renew} onTokenRejected={reject}>
                <Workspace route={route} id={kept.id} isActive={active} />
              </PlantStoreProvider>
            </QueryClientProvider>
          </div>
        )}
      </main>
    </div>
  );
}

function Views({ route: { view, filter } }: { readonly route: Route }) {
  return (
    <nav aria-label="Plants" className="views">
      <RouteLink to={home} isCurrent={view !== 'import'}>
        Plants
      </RouteLink>
      <RouteLink to={{ ...home, view: 'import' }} isCurrent={view === 'import'}>
        Import
      </RouteLink>
      <RouteLink
        to={{ view: 'add', filter: view === 'import' ? home.filter : filter }}
        className="button primary"
      >
        Add a plant
      </RouteLink>
    </nav>
  );
}

interface WorkspaceProps {
  readonly route: Route;
  /** What stays the same while the token is renewed. */
  readonly id: string;
  /** Whether the token may be sent. */
  readonly isActive: boolean;
}

function Workspace({ route, id, isActive }: WorkspaceProps) {
  const { view } = route;
  // What was typed, and what runs, stays while another view is shown.
  const [opened, setOpened] = useState<readonly Route['view'][]>([view]);
  if (!opened.includes(view)) setOpened([...opened, view]);
  const isImport = view === 'import';
  useTokenCheck(isImport && isActive);
  const queryClient = useQueryClient();
  // What was imported shows when the plants are shown again.
  useEffect(() => (isImport ? () => forgetLists(queryClient) : undefined), [isImport, queryClient]);
  return (
    <>
      {!isImport && isActive && <Plants key={id} route={route} />}
      {opened.includes('add') && (
        <Part>
          <AddSheet filter={route.filter} isOpen={view === 'add' && isActive} />
        </Part>
      )}
      {opened.includes('import') && (
        <div hidden={!isImport} className="panel">
          <Part fallback={<p className="loading">Loading…</p>}>
            <ImportPlants />
          </Part>
        </div>
      )}
    </>
  );
}

function Part({ children, fallback }: { readonly children: ReactNode; readonly fallback?: ReactNode }) {
  return (
    <LoadBoundary>
      <Suspense fallback={fallback}>{children}</Suspense>
    </LoadBoundary>
  );
}

/** Checks the token on entry to a view that sends nothing by itself. */
function useTokenCheck(isNeeded: boolean): void {
  const { client, rejectToken } = usePlantStore();
  useEffect(() => {
    if (!isNeeded) return;
    const control = new AbortController();
    void checkToken(client, control.signal).then((problem) => {
      if (problem !== undefined && !control.signal.aborted) rejectToken(problem);
    });
    return () => control.abort();
  }, [isNeeded, client, rejectToken]);
}
