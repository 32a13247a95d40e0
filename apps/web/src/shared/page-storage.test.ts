import { expect, it, vi } from 'vitest';
import { adviseReload, readStored, storageKeys, writeStored } from './page-storage.js';

const key = storageKeys.draft;

function reject(): never {
  throw new DOMException('The storage is full or blocked.', 'SecurityError');
}

it.each([
  ['is full', { getItem: reject, setItem: reject, removeItem: reject }],
  ['has what is not JSON', { getItem: () => '{', setItem() {}, removeItem() {} }],
  // Accessing the storage throws then.
  ['is blocked by the browser', undefined],
])('keeps working if the storage %s', (_, storage) => {
  const access = vi.spyOn(globalThis, 'sessionStorage', 'get').mockImplementation(reject);
  expect(() => writeStored(key, 1, storage)).not.toThrow();
  expect(readStored(key, storage)).toBeUndefined();
  expect(access).toHaveBeenCalledTimes(storage === undefined ? 2 : 0);
  access.mockRestore();
});

it('does not promise to keep anything over a reload if the browser blocks storage', () => {
  expect(adviseReload(sessionStorage)).toBe('Reload the page. Your text is kept.');
  expect(sessionStorage.length).toBe(0);
  const blocked = { getItem: () => null, setItem: reject, removeItem: reject };
  expect(adviseReload(blocked)).toMatch(/^Copy unsaved text, then reload/);
});
