import type { StoredPlant } from '@plant-store/contract/operations';
import { useEffect, useRef, useState } from 'react';
import type { PlantRows } from '../plant-pages.js';

/** The selected rows. */
export interface Selection {
  readonly count: number;
  has(id: bigint): boolean;
  /** The selected plants, in the order of the rows. */
  plants(): readonly StoredPlant[];
  /** Toggles the selection of a row. The next range begins there. */
  toggle(index: number): void;
  /** Extends the current range to a row. */
  extendTo(index: number): void;
  /** Moves the end of the range from the focused row to another row. If no range ends at the focused row, a new one begins there. */
  extendFrom(focused: number, index: number): void;
  selectAll(): void;
  clear(): void;
}

/** Keeps the selection by ID, so that it stays correct while others add, edit, and delete plants. Deselects removed rows. */
export function useSelection(rows: PlantRows): Selection {
  // The set is mutated, because it may be large. A new wrapper object signals each change to React.
  const [{ ids }, setState] = useState(() => ({ ids: new Set<bigint>() }));
  const [range, setRange] = useState<{ readonly anchor: bigint; readonly end: bigint }>();
  const idAt = (index: number) => rows.at(index)?.id;
  const select = (index: number, isSelected: boolean) => {
    const id = idAt(index);
    if (id === undefined) return;
    if (isSelected) ids.add(id);
    else ids.delete(id);
  };
  const show = () => setState({ ids });
  const startRange = (index: number) => {
    const id = idAt(index);
    setRange(id === undefined ? undefined : { anchor: id, end: id });
    return { anchor: index, end: index };
  };
  const extend = ({ anchor, end }: { readonly anchor: number; readonly end: number }, index: number) => {
    const isBetween = (row: number) => row >= Math.min(anchor, index) && row <= Math.max(anchor, index);
    // Rows outside the old and new range do not change.
    for (let row = Math.min(end, index); row <= Math.max(end, index); row++) select(row, isBetween(row));
    const ends = [idAt(anchor), idAt(index)] as const;
    if (ends[0] !== undefined && ends[1] !== undefined) setRange({ anchor: ends[0], end: ends[1] });
    show();
  };
  const currentRange = () => {
    if (range === undefined) return undefined;
    const [anchor, end] = [rows.indexOf(range.anchor), rows.indexOf(range.end)];
    return anchor === -1 || end === -1 ? undefined : { anchor, end };
  };

  const shownCount = useRef(rows.count);
  useEffect(() => {
    const isShorter = rows.count < shownCount.current;
    shownCount.current = rows.count;
    // Only if rows were removed, because the search is slow with a large selection.
    if (ids.size === 0 || !isShorter) return;
    const removed = new Set(ids);
    for (let index = 0; index < rows.count && removed.size > 0; index++)
      removed.delete(rows.at(index)?.id ?? 0n);
    if (removed.size === 0) return;
    for (const id of removed) ids.delete(id);
    setState({ ids });
  }, [rows, ids]);

  return {
    count: ids.size,
    has: (id) => ids.has(id),
    plants() {
      const plants: StoredPlant[] = [];
      for (let index = 0; index < rows.count && plants.length < ids.size; index++) {
        const plant = rows.at(index);
        if (plant !== undefined && ids.has(plant.id)) plants.push(plant);
      }
      return plants;
    },
    toggle(index) {
      const id = idAt(index);
      select(index, id !== undefined && !ids.has(id));
      startRange(index);
      show();
    },
    extendTo: (index) => extend(currentRange() ?? startRange(index), index),
    extendFrom(focused, index) {
      const isAtEnd = range !== undefined && idAt(focused) === range.end;
      extend((isAtEnd ? currentRange() : undefined) ?? startRange(focused), index);
    },
    selectAll() {
      for (let index = 0; index < rows.count; index++) select(index, true);
      show();
    },
    clear() {
      ids.clear();
      setRange(undefined);
      show();
    },
  };
}
