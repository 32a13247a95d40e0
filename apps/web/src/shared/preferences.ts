import { keepInTab, openStorage, readFromTab, tabStorageKeys } from './tab-storage.js';

/** How a person likes the list, whatever is in it. It stays in this browser; no text of a plant is part of it. */
export interface Preferences {
  readonly sortedBy?: string;
  /** The sheets on which labels were printed last. */
  readonly labels?: string;
  /** The columns that are not shown. */
  readonly hidden?: readonly string[];
}

/** Reads what was chosen before; nothing where the browser blocks its storage. */
export function readPreferences(): Preferences {
  return Object(readFromTab(tabStorageKeys.preferences, openStorage('device')));
}

/** Keeps what was chosen beside what was chosen before; where the browser blocks its storage, a reload forgets it. */
export function keepPreferences(chosen: Preferences): void {
  const all = { ...readPreferences(), ...chosen };
  keepInTab(tabStorageKeys.preferences, all, openStorage('device'));
}

/** The sheets on which labels are printed unless others are chosen. */
export const readLabelFormat = () => (readPreferences().labels === 'letter' ? 'letter' : 'a4');
