import type { KeyboardEvent } from 'react';
import type { Selection } from './selection/use-selection.js';

/** The state of the table, and the actions of its keys. */
interface TableKeys {
  readonly count: number;
  /** The row that has the focus, or had it last. */
  readonly active: number;
  readonly selection: Selection;
  /** Whether a plant is open next to the list. */
  readonly isOpen: boolean;
  /** How many rows Page Down moves by. */
  pageRows(): number;
  moveTo(index: number): void;
  open(index: number): void;
  close(): void;
  /** Edits the first cell of a row in place. `undefined` if that is not possible. */
  readonly edit: ((index: number) => void) | undefined;
  /** Deletes the selected plants, or if there are none, the active one. `undefined` if the token does not permit that. */
  readonly remove: (() => void) | undefined;
}

/** Handles a key in the table. */
export function handleTableKey(event: KeyboardEvent, table: TableKeys): void {
  const { key, shiftKey } = event;
  const { active, selection } = table;
  const isCommand = event.ctrlKey || event.metaKey;
  const action = findAction();
  if (action === undefined) return;
  event.preventDefault();
  action();

  function findAction(): (() => void) | undefined {
    if (isCommand && key.toLowerCase() === 'a') return selection.selectAll;
    if (key === 'Escape' && selection.count > 0) return selection.clear;
    if (key === 'Escape' && table.isOpen) return table.close;
    if (isCommand || event.altKey) return undefined;
    // The focus may still be on the checkbox that selected all.
    const isDelete = key === 'Delete' && selection.count > 0;
    if (event.target instanceof Element && event.target.tagName !== 'TR' && !isDelete) return undefined;
    const target = findTarget();
    if (target !== undefined) return () => moveTo(Math.max(0, Math.min(table.count - 1, target)));
    if (key === ' ') return () => (shiftKey ? selection.extendTo(active) : selection.toggle(active));
    if (key === 'Delete') return table.remove;
    if ((key === 'Enter' || key === 'F2') && table.edit !== undefined) return () => table.edit?.(active);
    return key === 'Enter' || key === 'o' ? () => table.open(active) : undefined;
  }

  /** Returns the row that the key moves to. */
  function findTarget(): number | undefined {
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + table.pageRows(),
      PageUp: active - table.pageRows(),
      Home: 0,
      End: table.count - 1,
    };
    return targets[key];
  }

  function moveTo(target: number): void {
    if (shiftKey) selection.extendFrom(active, target);
    table.moveTo(target);
    if (table.isOpen && !shiftKey) table.open(target);
  }
}
