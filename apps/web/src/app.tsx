import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Plants } from './plants/plants.js';
import { forgetLists } from './plants/use-plants.js';
import { navigate, type Route, useRoute } from './route.js';
import { LoadBoundary, loadPart } from './shared/load-boundary.js';
import { Tabs } from './shared/tabs.js';
import { TokenPanel } from './token/token-panel.js';
import { useSession } from './token/use-session.js';

const ManyPlants = lazy(async () => {
  const { ManyPlants } = await loadPart(() => import('./many/many-plants.js'));
  return { default: ManyPlants };
});

const OnePlant = lazy(async () => {
  const { OnePlant } = await loadPart(() => import('./one/one-plant.js'));
  return { default: OnePlant };
});

/** The page: the token, and, once there is one, the plants and the two ways to add some. */
export function App({ tokenFromAddress }: { readonly tokenFromAddress: string | undefined }) {
  const { session, use, reject, forget } = useSession(tokenFromAddress);
  const queryClient = useQueryClient();
  const workspace = useRef<HTMLDivElement>(null);
  const { token, active, asked } = session;
  useEffect(() => {
    if (asked && active && token !== undefined) {
      workspace.current?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus();
    }
  }, [asked, active, token]);
  const forgetToken = () => {
    queryClient.clear();
    forget();
  };
  return (
    <div className="page">
      <header className="page-header">
        <img src="/icon.svg" alt="" width="40" height="40" />
        <h1>Plant Store</h1>
        <nav aria-label="Page">
          {active && (
            <button type="button" className="quiet" onClick={forgetToken}>
              Forget token
            </button>
          )}
          <a href="/docs">API for developers</a>
        </nav>
      </header>
      <main>
        {session.notice !== undefined && (
          <p role="alert" className="message problem">
            {session.notice}
          </p>
        )}
        {!active && (
          <TokenPanel key={session.problem ?? ''} reason={session.problem} takeFocus={asked} onToken={use} />
        )}
        {token !== undefined && (
          // Hidden, not removed, while the token is rejected: what was typed and what runs stays.
          <div ref={workspace} hidden={!active}>
            <Workspace token={token} onTokenRejected={(message) => reject(token, message)} />
          </div>
        )}
      </main>
    </div>
  );
}

interface WorkspaceProps {
  readonly token: string;
  onTokenRejected(message: string): void;
}

function Workspace(props: WorkspaceProps) {
  const route = useRoute();
  const { view } = route;
  // What was typed, and what runs, stays while another view is shown.
  const [opened, setOpened] = useState<readonly Route['view'][]>([view]);
  if (!opened.includes(view)) setOpened([...opened, view]);
  const queryClient = useQueryClient();
  // What was added shows when the plants are shown again.
  useEffect(() => {
    if (view !== 'plants') return () => forgetLists(queryClient);
    return undefined;
  }, [view, queryClient]);
  const keep = (name: 'one' | 'many', Part: typeof OnePlant) =>
    opened.includes(name) && (
      <LoadBoundary>
        <Suspense fallback={<p className="loading">Loading…</p>}>
          <Part {...props} />
        </Suspense>
      </LoadBoundary>
    );
  return (
    <Tabs
      label="Plants, and ways to add them"
      selected={view}
      onSelect={(name) => navigate({ view: name, filter: { order: 'newest' } })}
      tabs={[
        { name: 'plants', title: 'Plants', panel: view === 'plants' && <Plants {...props} route={route} /> },
        { name: 'one', title: 'One plant', panel: keep('one', OnePlant) },
        { name: 'many', title: 'Many plants', panel: keep('many', ManyPlants) },
      ]}
    />
  );
}
