import { useEffect, useEffectEvent } from 'react';
import { readStored, storageKeys, writeStored } from './page-storage.js';

/** The actions by key, such as `/`, `n`, or `mod+z`, where `mod` is Ctrl, or Command on a Mac. */
export type KeyActions = Readonly<Record<string, () => unknown>>;

const isMac = /^(Mac|iP)/.test(navigator.platform);

/** Whether single-key shortcuts are on. Users can turn them off, because speech input can trigger them (WCAG 2.2, 2.1.4). */
export const areCharacterKeysOn = () => readStored(storageKeys.characterKeys) !== false;

export function switchCharacterKeys(isOn: boolean): void {
  writeStored(storageKeys.characterKeys, isOn ? undefined : false);
}

/** Handles keys wherever the focus is, except in a text field or while a modal dialog is open. */
export function useKeys(actions: KeyActions): void {
  const actionOf = useEffectEvent((key: string) => actions[key]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, altKey, shiftKey, target } = event;
      const [mod, otherMod] = isMac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
      if (event.defaultPrevented || event.isComposing || altKey || otherMod || isTextField(target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      if (mod ? shiftKey : !areCharacterKeysOn()) return;
      const action = actionOf(mod ? `mod+${key.toLowerCase()}` : key);
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Whether keys pressed in an element are text input. */
function isTextField(target: EventTarget | null): boolean {
  const element =
    target instanceof Element ? target.closest('input, textarea, select, [contenteditable]') : null;
  return element !== null && !(element instanceof HTMLInputElement && element.type === 'checkbox');
}
