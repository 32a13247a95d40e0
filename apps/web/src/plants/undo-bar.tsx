import { lazyPart } from '../shared/load-boundary.js';
import { useUndo } from './undo-provider.js';

const UndoItem = lazyPart(async () => (await import('./undo-item.js')).UndoItem);

/** Shows the latest actions, with or without deletes. Each action has a button to undo it, or shows why it failed. */
export function UndoBar({ hidesDeletes = false }: { readonly hidesDeletes?: boolean }) {
  const { actions } = useUndo();
  const shown = actions.filter(({ edit }) => !hidesDeletes || edit !== undefined);
  return (
    // Screen readers announce only what was added.
    <div role="status" aria-atomic="false" className="undo-bar" data-shown={shown.length > 0 || undefined}>
      {shown.map((action) => (
        <UndoItem key={action.key} action={action} />
      ))}
    </div>
  );
}
