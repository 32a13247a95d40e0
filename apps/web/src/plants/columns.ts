import { useState } from 'react';
import { isOrder, type ListOrder } from '../route.js';
import { labels, textNames } from '../shared/fields.js';
import { keepPreferences, readPreferences } from '../shared/preferences.js';

/** A column of the list. */
export interface Column {
  /** Also part of a CSS class name. */
  readonly name: string;
  readonly title: string;
  /** The two orders by this column, if the service can sort by it. The first press on the header uses the first one. */
  readonly sorts?: readonly [ListOrder, ListOrder];
  /** The width, as a track size of a CSS grid. */
  readonly width: string;
}

const widths: Readonly<Record<string, string>> = {
  name: 'minmax(12rem, 2fr)',
  id: 'minmax(7rem, 0.6fr)',
  added: 'minmax(6.5rem, 0.7fr)',
};

/** All columns, in display order. */
const all: readonly Column[] = [...textNames, 'id', 'added'].map((name) => {
  const width = widths[name] ?? 'minmax(8rem, 1fr)';
  if (name === 'added') return { name, title: 'Added', width, sorts: ['newest', 'oldest'] };
  const title = name in labels ? labels[name as keyof typeof labels] : name;
  const descending = `-${name}`;
  if (!isOrder(name) || !isOrder(descending)) return { name, title, width };
  return { name, title, width, sorts: [name, descending] };
});

/** The columns that are hidden by default. */
const hiddenByDefault: readonly string[] = ['id'];

/** Returns the columns, and functions to show and hide them. This browser keeps the person's choice. */
export function useColumns() {
  const [hidden, setHidden] = useState(() => {
    const { hidden: kept } = readPreferences();
    return Array.isArray(kept) ? kept : hiddenByDefault;
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
    reset: () => choose(hiddenByDefault),
  };
}

export type Columns = ReturnType<typeof useColumns>;
