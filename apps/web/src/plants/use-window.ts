import { type RefObject, useCallback, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';

export interface WindowOptions {
  /** The element that scrolls the rows. */
  readonly scroller: RefObject<HTMLElement | null>;
  readonly count: number;
  /** The height of each row, in CSS pixels. */
  readonly rowHeight: number;
  /** The height of the sticky header above the rows, in CSS pixels. */
  readonly headerHeight: number;
  /** A row that is always rendered, so that it does not lose the focus. */
  readonly active: number;
}

/** How many rows are rendered beyond the visible ones, on each side. */
const overscan = 8;

/** Determines which rows of a long list to render: those near the visible ones, and the active one. */
export function useWindow({ scroller, count, rowHeight, headerHeight, active }: WindowOptions) {
  const [{ first, last }, setVisible] = useState({ first: 0, last: 0 });
  const update = useCallback(() => {
    const { current: element } = scroller;
    if (element === null) return;
    const top = Math.floor(element.scrollTop / rowHeight);
    const bottom = Math.floor((element.scrollTop + element.clientHeight) / rowHeight);
    setVisible((shown) =>
      shown.first === top && shown.last === bottom ? shown : { first: top, last: bottom },
    );
  }, [scroller, rowHeight]);
  useLayoutEffect(() => {
    const { current: element } = scroller;
    if (element === null) return;
    // Renders before the browser paints, so that no row is missing.
    const onScroll = () => flushSync(update);
    const resized = new ResizeObserver(update);
    update();
    resized.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, [scroller, update]);

  const from = Math.max(0, Math.min(first, count - 1) - overscan);
  const to = Math.min(count - 1, last + overscan);
  const indexes = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  if (active >= 0 && active < from) indexes.unshift(active);
  if (active > to) indexes.push(active);
  return {
    indexes,
    /** The first and last row of the range near the visible ones. The active row can be outside it. */
    from,
    to,
    lastShown: Math.min(last, count - 1),
    totalHeight: count * rowHeight,
    /** How many rows Page Down moves by. */
    pageRows: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1),
    /** Scrolls as little as possible to show a row completely. */
    scrollToIndex(index: number) {
      const { current: element } = scroller;
      if (element === null) return;
      const start = index * rowHeight;
      const lowest = start + rowHeight + headerHeight - element.clientHeight;
      // Below the last row there is room for elements that float over the list.
      if (index === count - 1 && lowest >= element.scrollTop) element.scrollTop = element.scrollHeight;
      else element.scrollTop = Math.min(Math.max(element.scrollTop, lowest), start);
      // Renders together with other pending changes.
      update();
    },
  };
}
