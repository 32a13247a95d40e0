import { lazy, Suspense } from 'react';
import { LoadBoundary, loadPart } from '../shared/load-boundary.js';
import { useUndo } from './undo-provider.js';

const UndoItem = lazy(async () => {
  const { UndoItem } = await loadPart(() => import('./undo-item.js'));
  return { default: UndoItem };
});

/** What was done last, or to tags alone, and how to undo each; or why one of both failed. */
export function UndoBar({ ofTags = false }: { readonly ofTags?: boolean }) {
  const { actions } = useUndo();
  const shown = actions.filter(({ edit }) => !ofTags || edit !== undefined);
  return (
    // Only what is added to it is announced, not all of it again.
    <div role="status" aria-atomic="false" className="undo-bar" data-shown={shown.length > 0 || undefined}>
      {shown.map((action) => (
        <LoadBoundary key={action.key}>
          <Suspense>
            <UndoItem action={action} />
          </Suspense>
        </LoadBoundary>
      ))}
    </div>
  );
}
