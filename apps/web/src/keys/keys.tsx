import { flushSync } from 'react-dom';
import { home, navigate, type Route } from '../route.js';
import { useKeys } from '../shared/keys.js';
import { lazyPart } from '../shared/load-boundary.js';

const KeysSheet = lazyPart(async () => (await import('./keys-sheet.js')).KeysSheet);

interface KeysProps {
  readonly route: Route;
  /** Whether the token permits to add plants, as far as that is known. */
  readonly canAdd: boolean;
  /** Whether the list of all is shown. */
  readonly isShown: boolean;
  onShow(isShown: boolean): void;
}

/** Acts on the keys that work everywhere, and shows a list of all. */
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
