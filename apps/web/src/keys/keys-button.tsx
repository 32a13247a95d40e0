import { lazy, Suspense, useState } from 'react';
import { flushSync } from 'react-dom';
import { home, navigate, type Route } from '../route.js';
import { useKeys } from '../shared/keys.js';
import { LoadBoundary, loadPart } from '../shared/load-boundary.js';

const KeysSheet = lazy(async () => {
  const { KeysSheet } = await loadPart(() => import('./keys-sheet.js'));
  return { default: KeysSheet };
});

/** Acts on the keys that work everywhere, and shows a list of all. */
export function KeysButton({ route: { view, filter } }: { readonly route: Route }) {
  const [isShown, setShown] = useState(false);
  const shown = view === 'import' ? home.filter : filter;
  useKeys({
    '/': () => {
      if (view === 'import') flushSync(() => navigate(home));
      const search = document.querySelector<HTMLInputElement>('input[type="search"]');
      search?.focus();
      search?.select();
    },
    n: () => navigate({ view: 'add', filter: shown }),
    '?': () => setShown(true),
  });
  return (
    <>
      <button type="button" className="quiet keys-button" onClick={() => setShown(true)}>
        Keys
      </button>
      {isShown && (
        <LoadBoundary>
          <Suspense>
            <KeysSheet onClose={() => setShown(false)} />
          </Suspense>
        </LoadBoundary>
      )}
    </>
  );
}
