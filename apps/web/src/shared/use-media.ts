import { useEffect, useState } from 'react';

/** A phone, on which plants are cards, as in the styles. */
export const narrowScreen = '(max-width: 40rem)';

/** A window without room for the side bar, and for a plant beside the list. */
export const withoutSideBar = '(max-width: 60rem)';

/** Whether a media query matches, also after the window has changed. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const onChange = () => setMatches(list.matches);
    onChange();
    list.addEventListener('change', onChange);
    return () => list.removeEventListener('change', onChange);
  }, [query]);
  return matches;
}
