import { QueryClient, QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Keys } from './keys/keys.js';
import { Plants } from './plants/plants.js';
import { UndoBar } from './plants/undo-bar.js';
import { UndoProvider } from './plants/undo-provider.js';
import { resetLists } from './plants/use-plants.js';
import { queryOptions } from './query-options.js';
import { basePath, type Route, useRoute } from './route.js';
import { LoadBoundary, lazyPart } from './shared/load-boundary.js';
import { MissingScope } from './shared/missing-scope.js';
import { PlantStoreProvider } from './shared/plant-store.js';
import { Sheet } from './shared/sheet.js';
import { narrowScreen, useMedia, withoutSideBar } from './shared/use-media.js';
import { useScopes } from './shared/use-scopes.js';
import { BottomBar } from './shell/bottom-bar.js';
import { type Opened, SideBar } from './shell/side-bar.js';
import type { SignedIn } from './token/sign-in.js';
import type { StorageArea, StoredToken } from './token/stored-token.js';
import { useSession } from './token/use-session.js';

const ImportPlants = lazyPart(
  async () => (await import('./import/import-plants.js')).ImportPlants,
  <p className="loading">Loading…</p>,
);

const importLines = async (text: string) => (await import('./import/import-plants.js')).importPasted(text);

const loadTokenPanel = async () => (await import('./token/token-panel.js')).TokenPanel;

const TokenPanel = lazyPart(loadTokenPanel);

const TokenSheet = lazyPart(async () => (await import('./token/token-sheet.js')).TokenSheet);

const LinkSheet = lazyPart(async () => (await import('./token/link-sheet.js')).LinkSheet);
const TokensSheet = lazyPart(async () => (await import('./tokens/tokens-sheet.js')).TokensSheet);
const TagsSheet = lazyPart(async () => (await import('./plants/tags/tags-sheet.js')).TagsSheet);
const AddSheet = lazyPart(async () => (await import('./add/add-sheet.js')).AddSheet);

interface AppProps {
  readonly tokenFromAddress: string | undefined;
  /** The result of the sign-in whose reply is in the address, or why the sign-in failed. */
  readonly signingIn?: Promise<SignedIn | string> | string | undefined;
}

/** Shows the page, or an error if rendering fails, for example because a browser extension removed elements. */
export function App(props: AppProps) {
  return (
    <LoadBoundary what="This page">
      <Page {...props} />
    </LoadBoundary>
  );
}

/** Shows the token form, or once there is a token, the workspace. */
function Page({ tokenFromAddress, signingIn }: AppProps) {
  const { session, dispatch, keepIn, reject, renew, forget } = useSession(tokenFromAddress, signingIn);
  const route = useRoute();
  const { stored, active, shouldFocus, area } = session;
  const id = stored?.id;
  // Data that was loaded with one token, and the rejection of that token, must not be used with the next one.
  const queryClient = useMemo(() => new QueryClient(queryOptions), [id, active, session.restarts]);
  const { notice, renewalFailure, waiting } = session;
  const problem =
    renewalFailure === undefined
      ? notice
      : `${renewalFailure.reason} You are still signed in. This page keeps trying to renew your access.`;
  const notices = (problem ?? waiting) !== undefined && (
    <div className="page-notice">
      {problem !== undefined && (
        <p role="alert" className="message problem">
          {problem}
        </p>
      )}
      {waiting !== undefined && <p className="loading">{waiting}</p>}
    </div>
  );
  return (
    <div className="page" data-view={active ? route.view : 'token'}>
      {!active && (
        <header className="page-header">
          <img src={`${basePath}icon.svg`} alt="" width="24" height="24" />
          <h1>Plant Store</h1>
          <a href={`${basePath}docs`}>API for developers</a>
        </header>
      )}
      {active ? (
        notices
      ) : (
        <main>
          {notices}
          {session.renewalFailure !== undefined && (
            <button type="button" onClick={forget}>
              Sign out
            </button>
          )}
          {session.waiting === undefined && session.renewalFailure === undefined && (
            <TokenPanel
              key={session.problem ?? ''}
              reason={session.problem}
              takeFocus={shouldFocus}
              area={area}
              hasWork={stored !== undefined}
              onToken={(token, chosenArea) => dispatch({ type: 'use', token, area: chosenArea })}
            />
          )}
        </main>
      )}
      {stored !== undefined && (
        // While the token is rejected, the workspace is hidden but stays mounted, so that it keeps typed text and running work.
        <div hidden={!active} className="workspace">
          <QueryClientProvider client={queryClient}>
            <PlantStoreProvider
              token={stored.token}
              sessionId={stored.id}
              renewToken={renew}
              onTokenRejected={reject}
            >
              <UndoProvider>
                <Workspace
                  route={route}
                  stored={stored}
                  isActive={active}
                  takesFocus={shouldFocus}
                  area={area}
                  keepIn={keepIn}
                  onOwnRotated={(token) => dispatch({ type: 'replace', token })}
                  onForget={forget}
                />
              </UndoProvider>
              {active && session.offered !== undefined && (
                <LinkSheet onAnswer={(isAccepted) => dispatch({ type: 'answerOffer', isAccepted })} />
              )}
            </PlantStoreProvider>
          </QueryClientProvider>
        </div>
      )}
    </div>
  );
}

interface WorkspaceProps {
  readonly route: Route;
  readonly stored: StoredToken;
  /** Whether requests can use the token. */
  readonly isActive: boolean;
  /** Whether to take the focus, because the person just entered the token. */
  readonly takesFocus: boolean;
  readonly area: StorageArea;
  keepIn(area: StorageArea): void;
  /** Called with the token that replaces the current one. */
  onOwnRotated(token: string): void;
  onForget(): void;
}

/** The open sheet or dialog. `more` is the side bar when it overlays the page. */
type Shown = Opened | 'tokens' | 'more';

/** Shows the side bar, the current view, and the sheets. */
function Workspace({
  route,
  stored,
  isActive,
  takesFocus,
  onForget,
  onOwnRotated,
  ...tokenProps
}: WorkspaceProps) {
  const { view, filter } = route;
  const { id } = stored;
  const scopes = useScopes();
  const canAdd = scopes?.includes('create') ?? true;
  const isNarrow = useMedia(narrowScreen);
  const isWide = !useMedia(withoutSideBar);
  const [shown, setShown] = useState<Shown>();
  // Once opened, views and sheets stay mounted, so that they keep typed text and running work.
  const [opened, setOpened] = useState<readonly (Route['view'] | Shown)[]>([view]);
  const unopened = [view, shown].find((each) => each !== undefined && !opened.includes(each));
  if (unopened !== undefined) setOpened([...opened, unopened]);
  const isImport = view === 'import';
  const queryClient = useQueryClient();
  // Imported plants appear when the list is shown again.
  useEffect(() => (isImport ? () => resetLists(queryClient) : undefined), [isImport, queryClient]);
  // Preloads the token form. When it is needed, the network might be down, or the service might have been upgraded.
  useEffect(() => void loadTokenPanel().catch(() => undefined), []);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    if (takesFocus && isActive) main.current?.focus();
  }, [takesFocus, isActive, id]);
  const close = () => setShown(undefined);
  return (
    <>
      {isActive && (
        <Keys
          route={route}
          canAdd={canAdd}
          isShown={shown === 'keys'}
          onShow={(isShown) => setShown(isShown ? 'keys' : undefined)}
        />
      )}
      {isActive && isWide && (
        <nav aria-label="Plant Store">
          <SideBar route={route} onOpen={setShown} />
        </nav>
      )}
      <main ref={main} tabIndex={-1}>
        {view !== 'plants' && isActive && !canAdd && scopes !== undefined && <MissingScope scopes={scopes} />}
        {!isImport && isActive && (
          <Plants key={id} route={route} onMenu={isWide || isNarrow ? undefined : () => setShown('more')} />
        )}
        {opened.includes('add') && canAdd && (
          <AddSheet importLines={importLines} filter={filter} isOpen={view === 'add' && isActive} />
        )}
        {opened.includes('import') && canAdd && (
          <div hidden={!isImport} className="panel">
            <h1 className="visually-hidden">Import</h1>
            <ImportPlants checksToken={isImport && isActive} />
          </div>
        )}
      </main>
      {isActive && isNarrow && (
        <BottomBar route={route} onOpenTags={() => setShown('tags')} onOpenMore={() => setShown('more')} />
      )}
      {!isWide && (
        <Sheet title="Plant Store" isStart isOpen={shown === 'more' && isActive} onClose={close}>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard activates the links in it */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: likewise */}
          <div onClick={({ target }) => target instanceof Element && target.closest('a') && close()}>
            <SideBar route={route} onOpen={setShown} />
          </div>
        </Sheet>
      )}
      {opened.includes('tags') && (
        <TagsSheet filter={filter} isOpen={shown === 'tags' && isActive} onClose={close}>
          {/* Passed from here, because importing it in the sheet would split it into another chunk of the first view. */}
          <UndoBar hidesDeletes />
        </TagsSheet>
      )}
      {opened.includes('access') && (
        <TokenSheet
          {...tokenProps}
          stored={stored}
          isOpen={shown === 'access' && isActive}
          onTokens={scopes?.includes('admin') ? () => setShown('tokens') : undefined}
          onForget={onForget}
          onClose={close}
        />
      )}
      {opened.includes('tokens') && (
        <TokensSheet
          key={id}
          isOpen={shown === 'tokens' && isActive}
          onOwnRotated={onOwnRotated}
          onClose={close}
        />
      )}
    </>
  );
}
