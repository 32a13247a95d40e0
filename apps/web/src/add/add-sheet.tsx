import type { NewPlant } from '@plant-store/contract/operations';
import { useEffect, useRef, useState } from 'react';
import {
  checkDraft,
  type DraftProblems,
  isDraftOf,
  noProblems,
  withoutChanged,
} from '../plants/form/draft.js';
import { Outcome } from '../plants/form/outcome.js';
import { PlantForm, type PlantFormHandle } from '../plants/form/plant-form.js';
import { PlantTexts } from '../plants/plant-text.js';
import { usePlant, useShowAdded } from '../plants/use-plants.js';
import { home, navigate, type PlantFilter } from '../route.js';
import { mapFields, noTexts, type Texts } from '../shared/fields.js';
import { notLoaded } from '../shared/load-boundary.js';
import { readStored, storageKeys, writeStored } from '../shared/page-storage.js';
import { usePlantStore } from '../shared/plant-store.js';
import { Sheet } from '../shared/sheet.js';
import { suggestId } from '../shared/suggest-id.js';
import { pickTexts } from '../shared/texts.js';
import { toVisible } from '../shared/to-visible.js';
import { AddedList } from './added/added-list.js';
import { type AddedPlant, isUnfinished } from './added/added-plants.js';
import { type AddResult, useAddPlant } from './added/use-add-plant.js';
import './add-sheet.css';

interface AddSheetProps {
  /** The filter of the plants behind the sheet. */
  readonly filter: PlantFilter;
  /** Whether the sheet is shown. A hidden sheet keeps the typed text, and finishes adding a plant. */
  readonly isOpen: boolean;
  /** Opens the import with lines that were pasted here. */
  importLines(text: string): Promise<void>;
}

/** Why a plant was not stored, or may not have been. Includes the plant if adding it again can help. */
interface Failed {
  readonly message: string;
  readonly plant?: NewPlant;
}

/** Several lines that were pasted into the name field, which joins them into one line, and the name before the paste. */
interface Pasted {
  readonly text: string;
  readonly nameBefore: string;
}

const countLines = (text: string) => text.split(/[\r\n]+/).filter((line) => line.trim() !== '').length;

/** Adds plants one by one, and lists the plants that were added in this tab. */
export function AddSheet({ filter, isOpen, importLines }: AddSheetProps) {
  const { rejectToken } = usePlantStore();
  const [draft, setDraft, latestDraft] = useDraft();
  const [problems, setProblems] = useState(noProblems);
  const [isChecking, setChecking] = useState(false);
  const [done, setDone] = useState('');
  const [failed, setFailed] = useState<Failed>();
  const [takenId, setTakenId] = useState<bigint>();
  const [pasted, setPasted] = useState<Pasted>();
  const form = useRef<PlantFormHandle>(null);
  const showAdded = useShowAdded(filter);
  const { added, lastKey, isPending, attempt, add } = useAddPlant();
  const isBusy = isChecking || isPending;
  useEffect(() => {
    if (isOpen) form.current?.focusField('name');
  }, [isOpen]);

  /** Clears the result of the previous attempt. */
  const clear = () => {
    setDone('');
    setFailed(undefined);
    setTakenId(undefined);
  };
  const show = (found: DraftProblems) => {
    setProblems(found);
    form.current?.focusFirst(found);
  };
  const change = (changed: Texts) => {
    setDraft(changed);
    setProblems((before) => withoutChanged(before, draft, changed));
    if (changed.id !== draft.id) setTakenId(undefined);
    if (changed.name === '') setPasted(undefined);
  };
  const finish = (plant: NewPlant, { state, failure }: AddResult) => {
    if (failure === undefined) {
      setPasted(undefined);
      setDone(`${state === 'stored' ? 'Stored' : 'Already stored'}: ${nameOf(plant)}.`);
      setDraft((current) => (isDraftOf(current, plant) ? nextDraft(current) : current));
      form.current?.focusField('name');
      void showAdded(plant.id);
      return;
    }
    // The plant may come from the list, or the fields may have changed since it was sent.
    const isInForm = isDraftOf(latestDraft.current, plant);
    if (failure.about === 'token') rejectToken(failure.message);
    else if (failure.about === 'id' && isInForm) {
      setTakenId(BigInt(plant.id));
      show({ ...noProblems, id: failure.message });
    } else setFailed(toFailed(plant, failure.message, isInForm, isUnfinished({ state })));
  };
  const addAndShow = async (plant: NewPlant) => {
    clear();
    const result = await add(plant);
    if (result !== undefined) finish(plant, result);
  };
  const submit = async () => {
    clear();
    setChecking(true);
    // A different plant in the list has this ID, and may already be stored.
    const isReserved = added.some(
      (listed) =>
        isUnfinished(listed) && listed.id === draft.id.trim() && !isDraftOf(draft, toNewPlant(listed)),
    );
    const sent = isReserved ? { ...draft, id: suggestId() } : draft;
    if (isReserved) setDraft(sent);
    const { plant, problems: found } = await checkDraft(sent)
      .catch(() => ({ plant: undefined, problems: undefined }))
      .finally(() => setChecking(false));
    if (found !== undefined) show(found);
    else setProblems(noProblems);
    if (plant !== undefined) await addAndShow(plant);
    else if (found === undefined) setFailed({ message: notLoaded });
  };
  const retry = (plant: NewPlant) => {
    form.current?.focusSubmit(); // The pressed button is about to disappear.
    void addAndShow(plant);
  };
  const importInstead = async ({ text, nameBefore }: Pasted) => {
    try {
      await importLines(text);
      change({ ...draft, name: nameBefore });
      setPasted(undefined);
    } catch {
      setFailed({ message: notLoaded });
    }
  };
  const offered = failed?.plant;

  return (
    <Sheet title="Add a plant" isOpen={isOpen} onClose={() => navigate({ view: 'plants', filter })}>
      <PlantForm
        ref={form}
        draft={draft}
        problems={problems}
        isPending={isBusy}
        submitLabel="Add"
        hasId
        onChange={change}
        onSubmit={() => void submit()}
        onPasteName={(text) => setPasted(countLines(text) > 1 ? { text, nameBefore: draft.name } : undefined)}
        actions={
          offered && (
            <button type="button" aria-disabled={isBusy} onClick={() => isBusy || retry(offered)}>
              Try again
            </button>
          )
        }
      >
        {pasted && (
          <button type="button" onClick={() => void importInstead(pasted)}>
            {`Import these ${countLines(pasted.text)} lines instead`}
          </button>
        )}
        {takenId !== undefined && (
          <TakenId
            id={takenId}
            onFreeId={() => {
              change({ ...draft, id: suggestId() });
              form.current?.focusSubmit();
            }}
          />
        )}
        <Outcome isPending={isPending} attempt={attempt} done={done} isDoneListed problem={failed?.message} />
      </PlantForm>
      <AddedList
        added={added}
        offeredKey={offered && lastKey}
        isPending={isBusy}
        onRetry={(listed) => retry(toNewPlant(listed))}
      />
    </Sheet>
  );
}

/** Returns the failure for the form. The message names the plant unless the fields contain it. */
function toFailed(plant: NewPlant, reason: string, isInForm: boolean, canRetry: boolean): Failed {
  return { message: isInForm ? reason : `${nameOf(plant)}: ${reason}`, ...(canRetry && { plant }) };
}

function toNewPlant(plant: AddedPlant): NewPlant {
  return { id: BigInt(plant.id), ...pickTexts(plant) };
}

function nameOf({ id, name }: NewPlant): string {
  return `${toVisible(name)}, ID ${id}`;
}

/** Returns an empty draft with a suggested ID and the previous plant's tag, because the next plant often has the same tag. */
function nextDraft({ tag }: Pick<Texts, 'tag'> = noTexts): Texts {
  return { ...noTexts, tag, id: suggestId() };
}

/** Keeps the typed fields across reloads of this tab. Returns them, their setter, and a ref to the latest ones. */
function useDraft() {
  const [draft, setDraft] = useState(() => restoreDraft(readStored(storageKeys.draft)));
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
    writeStored(storageKeys.draft, draft);
  }, [draft]);
  return [draft, setDraft, latest] as const;
}

/** Restores the typed fields. The draft may be from another version of the page, with other fields. */
function restoreDraft(kept: unknown): Texts {
  const texts: Partial<Record<string, unknown>> = Object(kept);
  const empty = nextDraft();
  return mapFields((name) => {
    const text = texts[name];
    return typeof text === 'string' ? text : empty[name];
  });
}

interface TakenIdProps {
  readonly id: bigint;
  /** Called when the person chooses a free ID. */
  onFreeId(): void;
}

/** Shows which plant has a taken ID, and what to do. A deleted plant keeps its ID but cannot be shown. */
function TakenId({ id, onFreeId }: TakenIdProps) {
  const { data: holder } = usePlant(id);
  return (
    <div className="other-plant">
      {holder !== undefined && (
        <p>
          Plant with ID <code translate="no">{`${id}`}</code>:
          <PlantTexts plant={holder} />
        </p>
      )}
      <div className="submit-row">
        {holder !== undefined && (
          <button type="button" onClick={() => navigate({ ...home, id: `${id}` })}>
            Open it
          </button>
        )}
        <button type="button" onClick={onFreeId}>
          Use an available ID
        </button>
      </div>
    </div>
  );
}
