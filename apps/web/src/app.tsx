import { lazy, Suspense, useState } from 'react';
import { OnePlant } from './one/one-plant.js';
import { Tabs } from './shared/tabs.js';
import { TokenPanel } from './token/token-panel.js';

const ManyPlants = lazy(async () => {
  const { ManyPlants } = await import('./many/many-plants.js');
  return { default: ManyPlants };
});

/** The page: the token, and, once there is one, the two ways to add plants. */
export function App({ tokenFromAddress }: { readonly tokenFromAddress: string | undefined }) {
  const [token, setToken] = useState(tokenFromAddress);
  const [tab, setTab] = useState<'one' | 'many'>('one');
  const [manyOpened, setManyOpened] = useState(false);
  const select = (name: 'one' | 'many') => {
    setTab(name);
    if (name === 'many') setManyOpened(true);
  };
  const forget = () => setToken(undefined);
  return (
    <div className="page">
      <header>
        <h1>Plant Store</h1>
        <a href="/docs">API for developers</a>
      </header>
      <main>
        {token === undefined ? (
          <TokenPanel onToken={setToken} />
        ) : (
          <>
            <button type="button" onClick={forget}>
              Forget token
            </button>
            <Tabs
              label="Add plants"
              selected={tab}
              onSelect={select}
              tabs={[
                {
                  name: 'one',
                  title: 'One plant',
                  panel: <OnePlant token={token} onTokenRejected={forget} />,
                },
                {
                  name: 'many',
                  title: 'Many plants',
                  panel: manyOpened && (
                    <Suspense fallback={<p>Loading…</p>}>
                      <ManyPlants token={token} onTokenRejected={forget} />
                    </Suspense>
                  ),
                },
              ]}
            />
          </>
        )}
      </main>
    </div>
  );
}
