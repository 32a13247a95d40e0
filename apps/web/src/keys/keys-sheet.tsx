import { Fragment, useState } from 'react';
import { areCharacterKeysOn, switchCharacterKeys } from '../shared/keys.js';
import { Sheet } from '../shared/sheet.js';
import './keys-sheet.css';

type Shortcut = readonly [keys: readonly string[], action: string];

const globalShortcuts: readonly Shortcut[] = [
  [['/'], 'Search'],
  [['N'], 'Add a plant'],
  [['E'], 'Edit the open plant'],
  [['?'], 'Show these shortcuts'],
];

const listShortcuts: readonly Shortcut[] = [
  [['Ctrl+Z', '⌘Z'], 'Undo the last delete or edit'],
  [['Ctrl+P', '⌘P'], 'Print the list'],
  [['↑', '↓', 'Page Up', 'Page Down', 'Home', 'End'], 'Move through the list'],
  [['Enter', 'F2'], 'Edit the plant in place'],
  [['O'], 'Open the plant'],
  [['Space'], 'Select or deselect the plant'],
  [['Shift+↑', 'Shift+↓', 'Shift+Space'], 'Select a range (with a mouse, Shift+click)'],
  [['Ctrl+A', '⌘A'], 'Select all loaded plants'],
  [['Delete'], 'Delete the selected plants, or the focused plant'],
  [['Escape'], 'Clear the selection or close the panel'],
];

/** Lists the keyboard shortcuts, with a switch for single-key ones. */
export function KeysSheet({ onClose }: { onClose(): void }) {
  const [isOn, setOn] = useState(areCharacterKeysOn);
  return (
    <Sheet isOpen title="Keyboard shortcuts" onClose={onClose}>
      <h3>Anywhere</h3>
      <ShortcutList shortcuts={globalShortcuts} />
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target: { checked } }) => {
            setOn(checked);
            switchCharacterKeys(checked);
          }}
        />
        <span>Use single-key shortcuts. Turn them off if speech input triggers them.</span>
      </label>
      <h3>In the list</h3>
      <ShortcutList shortcuts={listShortcuts} />
    </Sheet>
  );
}

function ShortcutList({ shortcuts }: { readonly shortcuts: readonly Shortcut[] }) {
  return (
    <dl className="key-list">
      {shortcuts.map(([keys, action]) => (
        <Fragment key={action}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{action}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
