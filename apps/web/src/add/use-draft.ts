import { useEffect, useRef, useState } from 'react';
import { mapFields, noTexts, type Texts } from '../shared/fields.js';
import { suggestId } from '../shared/suggest-id.js';
import { keepInTab, readFromTab, tabStorageKeys } from '../shared/tab-storage.js';

/** A form with a suggested id, and the tag of the plant before, which the next one often has as well. */
export function nextDraft({ tag }: Pick<Texts, 'tag'> = noTexts): Texts {
  return { ...noTexts, tag, id: suggestId() };
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

/** What was kept by a page of another version may lack a field. */
function restoreDraft(kept: unknown): Texts {
  const texts: Partial<Record<string, unknown>> = Object(kept);
  const empty = nextDraft();
  return mapFields((name) => {
    const text = texts[name];
    return typeof text === 'string' ? text : empty[name];
  });
}
