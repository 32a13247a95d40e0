import { useEffect, useRef } from 'react';
import { keepInTab, readFromTab, tabStorageKeys } from './tab-storage.js';

/** What keys do: `/`, `n` and the like by their character, `mod+z` with Ctrl, or with the Command key of a Mac. */
export type KeyActions = Readonly<Record<string, () => unknown>>;

const isMac = /^(Mac|iP)/.test(navigator.platform);

/** Whether keys of one character act. They can be switched off, since speech input may press them by accident (WCAG 2.2, 2.1.4). */
export const areCharacterKeysOn = () => readFromTab(tabStorageKeys.characterKeys) !== false;

export function switchCharacterKeys(isOn: boolean): void {
  keepInTab(tabStorageKeys.characterKeys, isOn ? undefined : false);
}

/** Acts on keys wherever the focus is, but while something is typed, or something modal is open. */
export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, altKey, shiftKey, target } = event;
      const [mod, other] = isMac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
      if (event.defaultPrevented || event.isComposing || altKey || other || isTyped(target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      if (mod ? shiftKey : !areCharacterKeysOn()) return;
      const action = latest.current[mod ? `mod+${key.toLowerCase()}` : key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Whether keys go into a text there. */
function isTyped(target: EventTarget | null): boolean {
  const element =
    target instanceof Element ? target.closest('input, textarea, select, [contenteditable]') : null;
  return element !== null && !(element instanceof HTMLInputElement && element.type === 'checkbox');
}
