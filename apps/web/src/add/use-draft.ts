import { useEffect, useRef, useState } from 'react';
import { suggestId } from '../shared/suggest-id.js';
import { keepInTab, readFromTab, tabStorageKeys } from '../shared/tab-storage.js';
import { type Draft, draftFields } from './draft.js';

/** An empty form with a suggested id. */
export function emptyDraft(): Draft {
  return { id: suggestId(), name: '', tag: '' };
}

/** What is typed in the form, which a reload of this tab does not lose; last, as a reference, what is typed at any time. */
export function useDraft() {
  const [draft, setDraft] = useState(() => restoreDraft(readFromTab(tabStorageKeys.draft)));
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
    keepInTab(tabStorageKeys.draft, draft);
  }, [draft]);
  return [draft, setDraft, latest] as const;
}

function restoreDraft(kept: unknown): Draft {
  const { id, name, tag } = Object(kept);
  return draftFields.every((field) => typeof Object(kept)[field] === 'string')
    ? { id, name, tag }
    : emptyDraft();
}
