import { useEffect, useState } from 'react';

/** A screen on which the filters have a sheet of their own and plants are cards, as in the styles. */
export const narrowScreen = '(max-width: 40rem)';

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
