import type { Preview } from '../protocol.js';
import type { ImportSession } from '../session/import-session.js';
import { type ImportState, isAllStored } from '../session/import-state.js';

interface StartOverProps {
  readonly session: ImportSession;
  readonly state: ImportState;
  readonly preview: Preview;
}

/** Leads back to where plants are chosen; pasted lines are still there, unless all of them are stored. */
export function StartOver({ session, state, preview }: StartOverProps) {
  return (
    <button type="button" onClick={() => session.reset()}>
      {isPasted(preview) ? nameForPaste(state) : 'Choose another file'}
    </button>
  );
}

/** Whether the lines were typed or pasted, not read from a file. */
export function isPasted({ fileName }: Preview): boolean {
  return fileName === undefined;
}

function nameForPaste(state: ImportState): string {
  if (isAllStored(state)) return 'Add more plants';
  return state.draft.editable ? 'Edit lines' : 'Back to the pasted lines';
}
