import { expect, it, vi } from 'vitest';
import type { TabStorage } from '../shared/tab-storage.js';
import { openToken } from './open-token.js';

/** A tab with a storage of its own, of which documents are opened. */
function openTab() {
  const items = new Map<string, string>();
  const storage: TabStorage = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
  const replace = vi.fn();
  const replaceState = vi.fn();
  const open = (hash: string, usedStorage = storage) => {
    const location = { hash, pathname: '/', search: '?a=1', replace };
    return openToken({ location, history: { state: 7, replaceState } }, usedStorage);
  };
  return { items, storage, replace, replaceState, open };
}

it('loads the page again without the token, and takes it there, once', () => {
  const { items, replace, replaceState, open } = openTab();
  expect(open('#token=pst_secret')).toBe('loading_again');
  expect(replaceState.mock.calls).toEqual([[7, '', '/?a=1']]);
  expect(replace.mock.calls).toEqual([['/?a=1']]);
  expect(open('')).toEqual({ token: 'pst_secret' });
  expect([...items]).toEqual([]);
  expect(open('#other')).toEqual({ token: undefined });
  for (const once of [replace, replaceState]) expect(once).toHaveBeenCalledOnce();
});

it('takes the token without loading the page again where the browser keeps nothing', () => {
  const { storage, replace, open } = openTab();
  const setItem = vi.fn().mockThrow(new DOMException('', 'QuotaExceededError'));
  expect(open('#token=pst_secret', { ...storage, setItem })).toEqual({ token: 'pst_secret' });
  expect(replace).not.toHaveBeenCalled();
});
