import { lazy, Suspense, useState } from 'react';
import { createPortal } from 'react-dom';
import type { PlantFilter } from '../../route.js';
import { LoadBoundary, loadPart } from '../../shared/load-boundary.js';
import { useMay } from '../../shared/use-scopes.js';
import { UndoBar } from '../undo-bar.js';

const TagsSheet = lazy(async () => {
  const { TagsSheet } = await loadPart(() => import('./tags-sheet.js'));
  return { default: TagsSheet };
});

/** Opens the sheet with all tags. A rename that runs goes on while it is closed. */
export function TagsButton({ filter }: { readonly filter: PlantFilter }) {
  const [state, setState] = useState<'unused' | 'open' | 'closed'>('unused');
  // What it opens edits plants.
  if (!useMay('update')) return null;
  return (
    <>
      <button type="button" onClick={() => setState('open')}>
        Tags…
      </button>
      {state !== 'unused' &&
        createPortal(
          <LoadBoundary>
            <Suspense>
              <TagsSheet filter={filter} isOpen={state === 'open'} onClose={() => setState('closed')}>
                {/* From here, where it is loaded already: else the first view comes in more pieces. */}
                <UndoBar ofTags />
              </TagsSheet>
            </Suspense>
          </LoadBoundary>,
          // It has a form, and the button is in one.
          document.body,
        )}
    </>
  );
}
