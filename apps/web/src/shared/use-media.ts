import { useCallback, useSyncExternalStore } from 'react';

/** A phone, on which plants are shown as cards. The style sheets use the same width. */
export const narrowScreen = '(max-width: 40rem)';

/** A window without room for the side bar or for a plant beside the list. */
export const withoutSideBar = '(max-width: 60rem)';

/** Whether a media query matches. Updates when the window changes. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const list = matchMedia(query);
      list.addEventListener('change', onChange);
      return () => list.removeEventListener('change', onChange);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
