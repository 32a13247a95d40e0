import { useEffect, useRef } from 'react';
import { keepInTab, readFromTab, tabStorageKeys } from './tab-storage.js';

/** The actions of keys: by character, such as `/` and `n`; `mod+z` is with Ctrl, or Command on a Mac. */
export type KeyActions = Readonly<Record<string, () => unknown>>;

const isMac = /^(Mac|iP)/.test(navigator.platform);

/** Whether single-key shortcuts are on. They can be switched off, because speech input may trigger them by accident (WCAG 2.2, 2.1.4). */
export const areCharacterKeysOn = () => readFromTab(tabStorageKeys.characterKeys) !== false;

export function switchCharacterKeys(isOn: boolean): void {
  keepInTab(tabStorageKeys.characterKeys, isOn ? undefined : false);
}

/** Handles keys wherever the focus is, except while the person types, or a modal is open. */
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

/** Whether keys are typed into a text there. */
function isTyped(target: EventTarget | null): boolean {
  const element =
    target instanceof Element ? target.closest('input, textarea, select, [contenteditable]') : null;
  return element !== null && !(element instanceof HTMLInputElement && element.type === 'checkbox');
}
