import { lazyPart } from '../shared/load-boundary.js';
import { useUndo } from './undo-provider.js';

const UndoItem = lazyPart(async () => (await import('./undo-item.js')).UndoItem);

/** What was done last, or to tags alone, and how to undo each; or why one of both failed. */
export function UndoBar({ ofTags = false }: { readonly ofTags?: boolean }) {
  const { actions } = useUndo();
  const shown = actions.filter(({ edit }) => !ofTags || edit !== undefined);
  return (
    // Only what is added to it is announced, not all of it again.
    <div role="status" aria-atomic="false" className="undo-bar" data-shown={shown.length > 0 || undefined}>
      {shown.map((action) => (
        <UndoItem key={action.key} action={action} />
      ))}
    </div>
  );
}
