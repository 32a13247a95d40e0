import { useQueryClient } from '@tanstack/react-query';
import { loadedTags } from './use-plants.js';

/** The tags of plants that were loaded, for the `list` of an input. */
export function TagSuggestions({ id }: { readonly id: string }) {
  const queryClient = useQueryClient();
  return (
    <datalist id={id}>
      {loadedTags(queryClient).map((tag) => (
        <option key={tag} value={tag} />
      ))}
    </datalist>
  );
}
