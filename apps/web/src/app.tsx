import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { OnePlant } from './one/one-plant.js';
import { LoadBoundary, loadPart } from './shared/load-boundary.js';
import { Tabs } from './shared/tabs.js';
import { TokenPanel } from './token/token-panel.js';
import { useSession } from './token/use-session.js';

const ManyPlants = lazy(async () => {
  const { ManyPlants } = await loadPart(() => import('./many/many-plants.js'));
  return { default: ManyPlants };
});

/** The page: the token, and, once there is one, the two ways to add plants. */
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
  const [tab, setTab] = useState<'one' | 'many'>('one');
  const [manyOpened, setManyOpened] = useState(false);
  const select = (name: 'one' | 'many') => {
    setTab(name);
    if (name === 'many') setManyOpened(true);
  };
  const many = (
    <LoadBoundary>
      <Suspense fallback={<p className="loading">Loading…</p>}>
        <ManyPlants {...props} />
      </Suspense>
    </LoadBoundary>
  );
  return (
    <Tabs
      label="Ways to add plants"
      selected={tab}
      onSelect={select}
      tabs={[
        { name: 'one', title: 'One plant', panel: <OnePlant {...props} /> },
        { name: 'many', title: 'Many plants', panel: manyOpened && many },
      ]}
    />
  );
}
