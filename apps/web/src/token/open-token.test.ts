import { expect, it, vi } from 'vitest';
import { openToken } from './open-token.js';

/** Simulates a tab in which documents are opened. */
function openTab() {
  const replace = vi.fn();
  const replaceState = vi.fn();
  const open = (hash: string, storage?: Parameters<typeof openToken>[1]) => {
    const location = { hash, pathname: '/', search: '?a=1', replace };
    return openToken({ location, history: { state: 7, replaceState } }, storage);
  };
  return { replace, replaceState, open };
}

it('reloads the page without the token, and takes the token there, once', () => {
  const { replace, replaceState, open } = openTab();
  expect(open('#token=pst_secret')).toBe('loading_again');
  expect(replaceState.mock.calls).toEqual([[7, '', '/?a=1']]);
  expect(replace.mock.calls).toEqual([['/?a=1']]);
  expect(open('')).toEqual({ token: 'pst_secret' });
  expect(sessionStorage.length).toBe(0);
  expect(open('#other')).toEqual({ token: undefined });
  for (const once of [replace, replaceState]) expect(once).toHaveBeenCalledOnce();
});

it('takes the token without a reload if the browser blocks storage', () => {
  const { replace, open } = openTab();
  const setItem = vi.fn().mockThrow(new DOMException('', 'QuotaExceededError'));
  const blocked = { getItem: () => null, setItem, removeItem() {} };
  expect(open('#token=pst_secret', blocked)).toEqual({ token: 'pst_secret' });
  expect(replace).not.toHaveBeenCalled();
});
