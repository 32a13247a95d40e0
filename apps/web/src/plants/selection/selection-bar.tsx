import { useState } from 'react';
import type { PlantFilter } from '../../route.js';
import { Icon } from '../../shared/icon.js';
import { lazyPart } from '../../shared/load-boundary.js';
import { Menu } from '../../shared/menu.js';
import { SavedFileLink } from '../../shared/saved-file.js';
import { useHasScope } from '../../shared/use-scopes.js';
import { type Exported, type ExportFormat, savePlants } from '../export-plants.js';
import type { Selection } from './use-selection.js';
// Loaded together with the code that deletes, because a delete must be undoable.
import '../undo-item.js';
import './selection-bar.css';

const TagSelected = lazyPart(async () => (await import('./tag-selected.js')).TagSelected);

interface SelectionBarProps {
  readonly selection: Selection;
  /** The number of plants in the list, unless all are loaded. */
  readonly total: number | undefined;
  readonly filter: PlantFilter;
  /** Called to select all plants in the list, loaded or not. */
  onSelectAll(): void;
  onPrintLabels(): void;
  onDelete(): void;
}

/** Shows the number of selected plants, and the actions on them. */
export function SelectionBar({
  selection,
  total,
  filter,
  onSelectAll,
  onPrintLabels,
  onDelete,
}: SelectionBarProps) {
  const [canEdit, canDelete] = [useHasScope('update'), useHasScope('delete')];
  const [isTagging, setTagging] = useState(false);
  const [exported, setExported] = useState<Exported>();
  const save = async (format: ExportFormat) =>
    setExported(await savePlants({ plants: selection.plants(), format, onProgress: () => undefined }));
  return (
    <section
      aria-label="Selected plants"
      className="selection-bar"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented && !isTagging) selection.clear();
      }}
    >
      <strong>{`${selection.count.toLocaleString()} selected`}</strong>
      {total !== undefined && total > selection.count && (
        <button type="button" onClick={onSelectAll}>
          <span>{`Select all ${total.toLocaleString()}`}</span>
        </button>
      )}
      {canEdit && (
        <button type="button" onClick={() => setTagging(true)}>
          <Icon name="tag" /> Tag
        </button>
      )}
      <button type="button" onClick={onPrintLabels}>
        <Icon name="label" /> Print <span className="wide-only">labels</span>
      </button>
      <Menu
        label={
          <>
            <Icon name="download" /> Export
          </>
        }
      >
        <button type="button" onClick={() => void save('xlsx')}>
          To Excel
        </button>
        <button type="button" onClick={() => void save('csv')}>
          As CSV
        </button>
        <button type="button" onClick={() => void save('ndjson')}>
          As NDJSON
        </button>
      </Menu>
      {canDelete && (
        <>
          <span className="rule" />
          <button type="button" className="danger" onClick={onDelete}>
            <Icon name="trash" /> Delete
          </button>
        </>
      )}
      <span className="rule" />
      <button type="button" className="icon-only" onClick={selection.clear}>
        <Icon name="close" />
        <span className="visually-hidden">Clear</span>
      </button>
      <p role="status">
        {exported !== undefined && (
          <>
            <span>{`${exported.count.toLocaleString()} exported.`}</span>{' '}
            <SavedFileLink file={exported.file} />
          </>
        )}
      </p>
      {isTagging && (
        <TagSelected plants={selection.plants()} filter={filter} onClose={() => setTagging(false)} />
      )}
    </section>
  );
}
