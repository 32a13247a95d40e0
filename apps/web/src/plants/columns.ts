import { useState } from 'react';
import { isOrder, type ListOrder } from '../route.js';
import { labels, textNames } from '../shared/fields.js';
import { keepPreferences, readPreferences } from '../shared/preferences.js';

/** A column of the list. */
export interface Column {
  /** Also part of a CSS class name. */
  readonly name: string;
  readonly title: string;
  /** The orders in which the service can sort by it, if any: first the one of the first press on the title. */
  readonly sorts?: readonly [ListOrder, ListOrder];
  /** Its size, for a grid. */
  readonly width: string;
}

const widths: Readonly<Record<string, string>> = {
  name: 'minmax(12rem, 2fr)',
  id: 'minmax(7rem, 0.6fr)',
  added: 'minmax(6.5rem, 0.7fr)',
};

/** All columns, in their sequence. */
const all: readonly Column[] = [...textNames, 'id', 'added'].map((name) => {
  const width = widths[name] ?? 'minmax(8rem, 1fr)';
  if (name === 'added') return { name, title: 'Added', width, sorts: ['newest', 'oldest'] };
  const title = name in labels ? labels[name as keyof typeof labels] : name;
  const descending = `-${name}`;
  if (!isOrder(name) || !isOrder(descending)) return { name, title, width };
  return { name, title, width, sorts: [name, descending] };
});

/** The columns that are hidden by default. */
const hiddenAtFirst: readonly string[] = ['id'];

/** Which columns the list shows, as a person has chosen them in this browser. */
export function useColumns() {
  const [hidden, setHidden] = useState(() => {
    const { hidden: kept } = readPreferences();
    return Array.isArray(kept) ? kept : hiddenAtFirst;
  });
  const choose = (names: readonly string[]) => {
    setHidden(names);
    keepPreferences({ hidden: names });
  };
  return {
    all,
    shown: all.filter(({ name }) => !hidden.includes(name)),
    isHidden: (name: string) => hidden.includes(name),
    toggle: (name: string) =>
      choose(hidden.includes(name) ? hidden.filter((other) => other !== name) : [...hidden, name]),
    reset: () => choose(hiddenAtFirst),
  };
}

export type Columns = ReturnType<typeof useColumns>;
