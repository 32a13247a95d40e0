import { type FocusEvent, useLayoutEffect, useRef, useState } from 'react';
import type { PlantRows } from './plant-pages.js';
import { useWindow, type WindowOptions } from './use-window.js';

interface RowFocusOptions extends Omit<WindowOptions, 'active'> {
  readonly rows: PlantRows;
}

/** Moves the focus between rows. Only the active row and rows near the visible ones are rendered. */
export function useRowFocus({ rows, scroller, ...options }: RowFocusOptions) {
  const [chosen, setActive] = useState(0);
  const active = Math.min(chosen, options.count - 1);
  const shown = useWindow({ ...options, scroller, active });
  const indexToFocus = useRef<number>(undefined);
  const idToFocus = useRef<bigint>(undefined);
  const focusedRow = useRef<Element>(undefined);
  const focusActive = () =>
    scroller.current?.querySelector<HTMLElement>('tr[tabindex="0"]')?.focus({ preventScroll: true });
  const moveTo = (index: number) => {
    shown.scrollToIndex(index);
    if (index === active) return focusActive();
    indexToFocus.current = index;
    setActive(index);
  };
  // Runs in the commit that renders the row, before it can be removed again. The sequence of the three steps matters.
  useLayoutEffect(() => {
    // Otherwise the request is outdated.
    if (indexToFocus.current === active) {
      indexToFocus.current = undefined;
      focusActive();
    }
    const index = idToFocus.current === undefined ? -1 : rows.indexOf(idToFocus.current);
    idToFocus.current = undefined;
    if (index !== -1) moveTo(index);
    // If the focused row disappears, for example because its plant was deleted, the active row takes the focus.
    if (focusedRow.current === undefined || focusedRow.current.isConnected) return;
    focusedRow.current = undefined;
    if (document.activeElement === document.body) focusActive();
  });
  return {
    ...shown,
    /** The index of the row that has the focus, or had it last. Only this row is in the tab order. */
    active,
    setActive,
    focusActive,
    moveTo,
    /** Focuses a plant's row after the next render, which can move the plant to another row. */
    focusLater(id: bigint) {
      idToFocus.current = id;
    },
    onFocus(event: FocusEvent, index: number) {
      focusedRow.current = event.currentTarget;
      setActive(index);
    },
    onBlur({ target }: FocusEvent) {
      if (target.isConnected) focusedRow.current = undefined;
    },
  };
}
