import { keepInTab, openStorage, readFromTab, tabStorageKeys } from './tab-storage.js';

/** A person's preferences for the list. They stay in this browser, and contain no texts of plants. */
export interface Preferences {
  readonly sortedBy?: string;
  /** The sheets on which labels were printed last. */
  readonly labels?: string;
  /** The columns that are not shown. */
  readonly hidden?: readonly string[];
}

/** Reads the stored preferences; empty if the browser blocks its storage. */
export function readPreferences(): Preferences {
  return Object(readFromTab(tabStorageKeys.preferences, openStorage('device')));
}

/** Adds choices to the stored preferences. If the browser blocks its storage, a reload forgets them. */
export function keepPreferences(chosen: Preferences): void {
  const all = { ...readPreferences(), ...chosen };
  keepInTab(tabStorageKeys.preferences, all, openStorage('device'));
}

/** The sheets on which labels are printed unless others are chosen. */
export const readLabelFormat = () => (readPreferences().labels === 'letter' ? 'letter' : 'a4');
