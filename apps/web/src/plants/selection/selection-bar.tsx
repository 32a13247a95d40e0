import { lazy, Suspense, useState } from 'react';
import type { PlantFilter } from '../../route.js';
import { LoadBoundary, loadPart } from '../../shared/load-boundary.js';
import { SavedFileLink } from '../../shared/saved-file-link.js';
import { useMay } from '../../shared/use-scopes.js';
import { ExportFormats } from '../export-formats.js';
import { type Exported, savePlants } from '../export-plants.js';
import type { Selection } from './use-selection.js';
// What deletes also loads what undoes it.
import '../undo-item.js';

const TagSelected = lazy(async () => {
  const { TagSelected } = await loadPart(() => import('./tag-selected.js'));
  return { default: TagSelected };
});

interface SelectionBarProps {
  readonly selection: Selection;
  /** Whether all plants that match are loaded. */
  readonly isComplete: boolean;
  readonly filter: PlantFilter;
  onDelete(): void;
}

/** How many plants are selected, and what can be done with them. */
export function SelectionBar({ selection, isComplete, filter, onDelete }: SelectionBarProps) {
  const [canEdit, canDelete] = [useMay('update'), useMay('delete')];
  const [isTagging, setTagging] = useState(false);
  const [exported, setExported] = useState<Exported>();
  const save = async (format: 'csv' | 'ndjson') =>
    setExported(await savePlants({ plants: selection.plants(), format, onProgress: () => undefined }));
  return (
    <section
      aria-label="Selected plants"
      className="selection-bar"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented && !isTagging) selection.clear();
      }}
    >
      <p>
        <strong>{`${selection.count.toLocaleString()} selected`}</strong>
        {!isComplete && <span> of those loaded</span>}
      </p>
      <div className="selection-actions">
        {canDelete && (
          <button type="button" className="danger" onClick={onDelete}>
            Delete
          </button>
        )}
        {canEdit && (
          <button type="button" onClick={() => setTagging(true)}>
            Tag…
          </button>
        )}
        <ExportFormats onExport={(format) => void save(format)} />
        <button type="button" className="quiet" onClick={selection.clear}>
          Clear
        </button>
      </div>
      <p role="status">
        {exported !== undefined && (
          <>
            <span>{`${exported.count.toLocaleString()} exported.`}</span>{' '}
            <SavedFileLink file={exported.file} />
          </>
        )}
      </p>
      {isTagging && (
        <LoadBoundary>
          <Suspense>
            <TagSelected plants={selection.plants()} filter={filter} onClose={() => setTagging(false)} />
          </Suspense>
        </LoadBoundary>
      )}
    </section>
  );
}
