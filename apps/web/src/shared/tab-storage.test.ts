import { expect, it, vi } from 'vitest';
import { keepInTab, readFromTab, tabStorageKeys } from './tab-storage.js';

const key = tabStorageKeys.draft;

function memory(values: Record<string, string> = {}) {
  return {
    values,
    getItem: (name: string) => values[name] ?? null,
    setItem: (name: string, value: string) => {
      values[name] = value;
    },
    removeItem: (name: string) => {
      delete values[name];
    },
  };
}

it('keeps a value, reads it, and removes it', () => {
  const storage = memory();
  keepInTab(key, { id: '7' }, storage);
  expect(readFromTab(key, storage)).toEqual({ id: '7' });
  keepInTab(key, undefined, storage);
  expect(storage.values).toEqual({});
  expect(readFromTab(key, storage)).toBeUndefined();
});

it('reads nothing from what is not JSON', () => {
  expect(readFromTab(key, memory({ [key]: '{' }))).toBeUndefined();
});

function reject(): never {
  throw new DOMException('The storage is full or blocked.', 'SecurityError');
}

it('works on where the storage is full', () => {
  const storage = { getItem: reject, setItem: reject, removeItem: reject };
  expect(() => keepInTab(key, 1, storage)).not.toThrow();
  expect(readFromTab(key, storage)).toBeUndefined();
});

it('works on where the browser blocks storage', () => {
  const blocked = vi.spyOn(globalThis, 'sessionStorage', 'get').mockImplementation(reject);
  expect(() => keepInTab(key, 1)).not.toThrow();
  expect(readFromTab(key)).toBeUndefined();
  expect(blocked).toHaveBeenCalledTimes(2);
  blocked.mockRestore();
});
