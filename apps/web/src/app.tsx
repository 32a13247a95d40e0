import type { Scope } from '@plant-store/contract/access-token';
import { QueryClient, QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { Keys } from './keys/keys.js';
import { Plants } from './plants/plants.js';
import { UndoProvider } from './plants/undo-provider.js';
import { forgetLists } from './plants/use-plants.js';
import { queryOptions } from './query-options.js';
import { basePath, home, type Route, useRoute } from './route.js';
import { Icon } from './shared/icon.js';
import { LackingScope } from './shared/lacking-scope.js';
import { LoadBoundary, loadPart } from './shared/load-boundary.js';
import { Menu } from './shared/menu.js';
import { PlantStoreProvider, usePlantStore } from './shared/plant-store.js';
import { RouteLink } from './shared/route-link.js';
import { useOwnToken, useScopes } from './shared/use-scopes.js';
import { checkToken } from './token/check-token.js';
import type { SignedIn } from './token/sign-in.js';
import { TokenPanel } from './token/token-panel.js';
import { useSession } from './token/use-session.js';

const ImportPlants = lazy(async () => {
  const { ImportPlants } = await loadPart(() => import('./import/import-plants.js'));
  return { default: ImportPlants };
});

const importLines = async (text: string) => (await import('./import/import-plants.js')).importPasted(text);

const TokenSheet = lazy(async () => {
  const { TokenSheet } = await loadPart(() => import('./token/token-sheet.js'));
  return { default: TokenSheet };
});

const LinkSheet = lazy(async () => {
  const { LinkSheet } = await loadPart(() => import('./token/link-sheet.js'));
  return { default: LinkSheet };
});

const TokensSheet = lazy(async () => {
  const { TokensSheet } = await loadPart(() => import('./tokens/tokens-sheet.js'));
  return { default: TokensSheet };
});

const AddSheet = lazy(async () => {
  const { AddSheet } = await loadPart(() => import('./add/add-sheet.js'));
  return { default: AddSheet };
});

interface AppProps {
  readonly tokenFromAddress: string | undefined;
  /** What the reply of the identity provider in the address leads to, or why to nothing. */
  readonly signingIn?: Promise<SignedIn | string> | string | undefined;
}

/** The page, or what happened to it: such as where an extension of the browser takes away what it shows. */
export function App(props: AppProps) {
  return (
    <LoadBoundary what="This page">
      <Page {...props} />
    </LoadBoundary>
  );
}

/** The token, and, once there is one, the plants and the ways to add some. */
function Page({ tokenFromAddress, signingIn }: AppProps) {
  const { session, use, answerOffer, keepIn, reject, renew, replace, forget } = useSession(
    tokenFromAddress,
    signingIn,
  );
  const route = useRoute();
  const header = useRef<HTMLElement>(null);
  const [isShowingKeys, setShowingKeys] = useState(false);
  const [scopes, setScopes] = useState<readonly Scope[]>();
  const canAdd = scopes?.includes('create') ?? true;
  const [isTokenOpen, setTokenOpen] = useState<boolean>();
  const [isTokensOpen, setTokensOpen] = useState<boolean>();
  const { kept, active, asked, place } = session;
  const id = kept?.id;
  useEffect(() => {
    if (asked && active && id !== undefined) {
      header.current?.querySelector<HTMLElement>('[aria-current="page"]')?.focus();
    }
  }, [asked, active, id]);
  // What was loaded with one token, and why it was rejected, is not that of the next.
  const queryClient = useMemo(() => new QueryClient(queryOptions), [id, active, session.restarts]);
  return (
    <div className="page" data-view={active ? route.view : 'token'}>
      <header ref={header} className="page-header">
        <img src={`${basePath}icon.svg`} alt="" width="28" height="28" />
        <h1>Plant Store</h1>
        {active && <Views route={route} canAdd={canAdd} />}
        <nav aria-label="Page" className="page-links">
          {active ? (
            <Menu
              label={
                <>
                  <Icon name="more" />
                  <span className="visually-hidden">More</span>
                </>
              }
            >
              <button type="button" onClick={() => setShowingKeys(true)}>
                Keys
              </button>
              <button type="button" onClick={() => setTokenOpen(true)}>
                Access
              </button>
              {scopes?.includes('admin') && (
                <button type="button" onClick={() => setTokensOpen(true)}>
                  Tokens
                </button>
              )}
              <button type="button" onClick={forget}>
                Forget token
              </button>
              <a href={`${basePath}docs`}>API for developers</a>
            </Menu>
          ) : (
            <a href={`${basePath}docs`}>API for developers</a>
          )}
        </nav>
      </header>
      {active && <Keys route={route} canAdd={canAdd} isShown={isShowingKeys} onShow={setShowingKeys} />}
      <main>
        {session.notice !== undefined && (
          <p role="alert" className="message problem">
            {session.notice}
          </p>
        )}
        {session.unrenewed !== undefined && (
          <p role="alert" className="message problem">
            {session.unrenewed.reason} You stay signed in, and this page keeps trying to renew your access.
          </p>
        )}
        {session.waiting !== undefined && <p className="loading">{session.waiting}</p>}
        {!active && session.unrenewed !== undefined && (
          <button type="button" onClick={forget}>
            Forget token
          </button>
        )}
        {!active && session.waiting === undefined && session.unrenewed === undefined && (
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
          <div hidden={!active} className="workspace">
            <QueryClientProvider client={queryClient}>
              <PlantStoreProvider
                token={kept.token}
                sessionId={kept.id}
                renewToken={renew}
                onTokenRejected={reject}
              >
                <UndoProvider>
                  <Workspace route={route} id={kept.id} isActive={active} onScopes={setScopes} />
                </UndoProvider>
                {active && session.offered !== undefined && (
                  <Part>
                    <LinkSheet onUse={() => answerOffer(true)} onKeep={() => answerOffer(false)} />
                  </Part>
                )}
                {isTokensOpen !== undefined && (
                  <Tokens
                    key={kept.id}
                    isOpen={isTokensOpen && active}
                    onOwnRotated={replace}
                    onClose={() => setTokensOpen(false)}
                  />
                )}
              </PlantStoreProvider>
            </QueryClientProvider>
          </div>
        )}
      </main>
    </div>
  );
}

interface ViewsProps {
  readonly route: Route;
  /** Whether the token permits to add plants, as far as that is known. */
  readonly canAdd: boolean;
}

function Views({ route: { view, filter }, canAdd }: ViewsProps) {
  return (
    <nav aria-label="Plants" className="views">
      <RouteLink to={home} isCurrent={view !== 'import'}>
        Plants
      </RouteLink>
      {canAdd && (
        <>
          <RouteLink to={{ ...home, view: 'import' }} isCurrent={view === 'import'}>
            Import
          </RouteLink>
          <RouteLink
            to={{ view: 'add', filter: view === 'import' ? home.filter : filter }}
            className="button primary"
          >
            <Icon name="add" />
            Add a plant
          </RouteLink>
        </>
      )}
    </nav>
  );
}

interface WorkspaceProps {
  readonly route: Route;
  /** What stays the same while the token is renewed. */
  readonly id: string;
  /** Whether the token may be sent. */
  readonly isActive: boolean;
  /** Called with what the token permits, once that is known. */
  onScopes(scopes: readonly Scope[] | undefined): void;
}

function Workspace({ route, id, isActive, onScopes }: WorkspaceProps) {
  const { view } = route;
  const scopes = useScopes();
  useEffect(() => onScopes(scopes), [scopes, onScopes]);
  const canAdd = scopes?.includes('create') ?? true;
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
      {view !== 'plants' && isActive && !canAdd && scopes !== undefined && <LackingScope scopes={scopes} />}
      {!isImport && isActive && <Plants key={id} route={route} />}
      {opened.includes('add') && canAdd && (
        <Part>
          <AddSheet importLines={importLines} filter={route.filter} isOpen={view === 'add' && isActive} />
        </Part>
      )}
      {opened.includes('import') && canAdd && (
        <div hidden={!isImport} className="panel">
          <Part fallback={<p className="loading">Loading…</p>}>
            <ImportPlants />
          </Part>
        </div>
      )}
    </>
  );
}

function Tokens(props: { readonly isOpen: boolean; onOwnRotated(token: string): void; onClose(): void }) {
  const own = useOwnToken();
  if (!own?.scopes.includes('admin')) return null;
  return (
    <Part>
      <TokensSheet own={own} {...props} />
    </Part>
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
