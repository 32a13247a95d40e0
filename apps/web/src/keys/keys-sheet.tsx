import { Fragment, useState } from 'react';
import { areCharacterKeysOn, switchCharacterKeys } from '../shared/keys.js';
import { Sheet } from '../shared/sheet.js';
import './keys-sheet.css';

type Key = readonly [keys: readonly string[], what: string];

const character: readonly Key[] = [
  [['/'], 'Search'],
  [['N'], 'Add a plant'],
  [['E'], 'Edit the open plant'],
  [['?'], 'Show these shortcuts'],
];

const inList: readonly Key[] = [
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
      <KeyList keys={character} />
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
      <KeyList keys={inList} />
    </Sheet>
  );
}

function KeyList({ keys }: { readonly keys: readonly Key[] }) {
  return (
    <dl className="key-list">
      {keys.map(([names, what]) => (
        <Fragment key={what}>
          <dt>
            {names.map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
