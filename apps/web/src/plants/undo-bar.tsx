import { lazyPart } from '../shared/load-boundary.js';
import { useUndo } from './undo-provider.js';

const UndoItem = lazyPart(async () => (await import('./undo-item.js')).UndoItem);

/** Shows the latest actions, or only those on tags. Each has a button to undo it, or a failure. */
export function UndoBar({ ofTags = false }: { readonly ofTags?: boolean }) {
  const { actions } = useUndo();
  const shown = actions.filter(({ edit }) => !ofTags || edit !== undefined);
  return (
    // Screen readers announce only what was added.
    <div role="status" aria-atomic="false" className="undo-bar" data-shown={shown.length > 0 || undefined}>
      {shown.map((action) => (
        <UndoItem key={action.key} action={action} />
      ))}
    </div>
  );
}
