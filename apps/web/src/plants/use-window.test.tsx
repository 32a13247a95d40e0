import { act, renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useWindow } from './use-window.js';

/** A list of 1,000 rows of 40 px below a head of 30 px, in the 480 px that setup-jsdom.ts gives each element. */
function open(active: number) {
  const scroller = { current: document.createElement('div') };
  Object.defineProperty(scroller.current, 'scrollHeight', { value: 40_110 });
  const options = { scroller, count: 1_000, rowHeight: 40, headerHeight: 30, active };
  const { result } = renderHook(() => useWindow(options));
  return {
    rows: () => result.current,
    scrollTo(index: number) {
      act(() => result.current.scrollToIndex(index));
      act(() => void scroller.current.dispatchEvent(new Event('scroll')));
      return scroller.current.scrollTop;
    },
  };
}

const upTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

it('renders the rows near the visible ones, and always the active one', () => {
  const { rows, scrollTo } = open(3);
  expect([rows().indexes, rows().totalHeight]).toEqual([upTo(0, 20), 40_000]);
  scrollTo(500);
  expect([rows().indexes, rows().lastShown]).toEqual([[3, ...upTo(481, 509)], 501]);
  expect(open(900).rows().indexes).toEqual([...upTo(0, 20), 900]);
});

it('scrolls as little as possible to show a row completely below the header, and to the very end for the last one', () => {
  const { scrollTo } = open(0);
  expect(scrollTo(5)).toBe(0);
  expect(scrollTo(20)).toBe(21 * 40 + 30 - 480);
  expect(scrollTo(15)).toBe(21 * 40 + 30 - 480);
  expect(scrollTo(2)).toBe(80);
  expect(scrollTo(999)).toBe(40_110);
});
