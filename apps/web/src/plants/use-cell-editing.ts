import { useEffect, useRef, useState } from 'react';
import type { TextName } from '../shared/fields.js';
import { loadPart } from '../shared/load-boundary.js';
import type { AfterEdit } from './cell-editor.js';
import type { PlantRows } from './plant-pages.js';
import type { useRowFocus } from './use-row-focus.js';

export const loadCellEditor = () => loadPart(() => import('./cell-editor.js'));

/** Edits one cell of the table at a time. `fields` are in column order. */
export function useCellEditing(
  rows: PlantRows,
  fields: readonly TextName[],
  canEditInPlace: boolean,
  { setActive, scrollToIndex, focusLater }: ReturnType<typeof useRowFocus>,
) {
  const [cell, setCell] = useState<{ readonly id: bigint; readonly name: TextName }>();
  const clicked = useRef<TextName>(undefined);
  useEffect(() => void (canEditInPlace && loadCellEditor().catch(() => undefined)), [canEditInPlace]);
  const edit = (index: number, name: TextName) => {
    const plant = rows.at(index);
    if (plant === undefined) return;
    setActive(index);
    setCell({ id: plant.id, name });
  };
  return {
    /** The cell that is being edited. */
    cell,
    edit,
    /** Remembers the cell of the first click. That click opens the panel, so the second click of a double click can hit another cell. */
    noteClick(element: Element | null) {
      clicked.current = fields.find((name) => element?.classList.contains(`plant-${name}`));
    },
    editClicked: (index: number) => canEditInPlace && clicked.current && edit(index, clicked.current),
    /** Ends the edit of a cell. Then edits another cell, focuses the row, or does neither. */
    end(after: AfterEdit) {
      if (cell === undefined) return;
      const { id, name } = cell;
      const index = rows.indexOf(id);
      const field = fields[fields.indexOf(name) + (after === 'next' ? 1 : -1)];
      if ((after === 'next' || after === 'previous') && field !== undefined)
        return setCell({ id, name: field });
      const target = index + (after === 'down' ? 1 : after === 'up' ? -1 : 0);
      if (target !== index && rows.at(target) !== undefined) {
        scrollToIndex(target);
        return edit(target, name);
      }
      setCell(undefined);
      if (after !== 'blur') focusLater(id);
    },
  };
}
