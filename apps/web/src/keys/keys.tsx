import { flushSync } from 'react-dom';
import { home, navigate, type Route } from '../route.js';
import { useKeys } from '../shared/keys.js';
import { lazyPart } from '../shared/load-boundary.js';

const KeysSheet = lazyPart(async () => (await import('./keys-sheet.js')).KeysSheet);

interface KeysProps {
  readonly route: Route;
  /** Whether the token permits adding plants, as far as known. */
  readonly canAdd: boolean;
  /** Whether the list of shortcuts is shown. */
  readonly isShown: boolean;
  onShow(isShown: boolean): void;
}

/** Handles the global shortcuts, and shows the list of all shortcuts. */
export function Keys({ route: { view, filter }, canAdd, isShown, onShow }: KeysProps) {
  useKeys({
    '/': () => {
      if (view === 'import') flushSync(() => navigate(home));
      const search = document.querySelector<HTMLInputElement>('input[type="search"]');
      search?.focus();
      search?.select();
    },
    n: () => canAdd && navigate({ view: 'add', filter: view === 'import' ? home.filter : filter }),
    '?': () => onShow(true),
  });
  if (!isShown) return null;
  return <KeysSheet onClose={() => onShow(false)} />;
}
