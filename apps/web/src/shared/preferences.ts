import { openStorage, readStored, storageKeys, writeStored } from './page-storage.js';

/** A person's preferences for the list. They stay in this browser and contain no plant data. */
export interface Preferences {
  readonly sortedBy?: string;
  /** The format of the last printed labels. */
  readonly labels?: string;
  /** The columns that are not shown. */
  readonly hidden?: readonly string[];
}

/** Reads the stored preferences; empty if the browser blocks its storage. */
export function readPreferences(): Preferences {
  return Object(readStored(storageKeys.preferences, openStorage('device')));
}

/** Adds choices to the stored preferences. If the browser blocks its storage, a reload forgets them. */
export function keepPreferences(chosen: Preferences): void {
  const all = { ...readPreferences(), ...chosen };
  writeStored(storageKeys.preferences, all, openStorage('device'));
}

/** Returns the format of the last printed labels, or A4. */
export const readLabelFormat = () => (readPreferences().labels === 'letter' ? 'letter' : 'a4');
