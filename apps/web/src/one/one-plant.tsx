import type { NewPlant } from '@plant-store/contract/operations';
import { useRef, useState } from 'react';
import { notLoaded } from '../shared/load-boundary.js';
import { shorten } from '../shared/shorten.js';
import { useSlow } from '../shared/use-slow.js';
import { AddedList } from './added/added-list.js';
import { type AddedPlant, isOpen } from './added/added-plants.js';
import { type AddResult, useAddPlant } from './added/use-add-plant.js';
import { checkDraft, type Draft, type DraftProblems, isDraftOf } from './draft.js';
import { PlantForm, type PlantFormHandle } from './plant-form.js';
import { emptyDraft, useDraft } from './use-draft.js';

interface OnePlantProps {
  readonly token: string;
  /** Called when the service rejects the token, with the reason. */
  onTokenRejected(message: string): void;
}

/** Why a plant is not stored, or not certainly; with the plant if adding it again may help. */
interface Failed {
  readonly message: string;
  readonly plant?: NewPlant;
}

/** The tab "One plant": the form, and what was added. */
export function OnePlant({ token, onTokenRejected }: OnePlantProps) {
  const [draft, setDraft, latestDraft] = useDraft();
  const [problems, setProblems] = useState<DraftProblems>({});
  const [checking, setChecking] = useState(false);
  const [done, setDone] = useState('');
  const [failed, setFailed] = useState<Failed>();
  const form = useRef<PlantFormHandle>(null);
  const { added, lastKey, pending, attempt, add } = useAddPlant(token);
  const busy = checking || pending;

  const show = (found: DraftProblems) => {
    setProblems(found);
    form.current?.focusFirst(found);
  };
  const change = (changed: Draft) => {
    setDraft(changed);
    setProblems((before) => withoutChanged(before, draft, changed));
  };
  const finish = (plant: NewPlant, { state, failure }: AddResult) => {
    if (failure === undefined) {
      setDone(`${state === 'stored' ? 'Stored' : 'Was there already'}: ${nameOf(plant)}.`);
      setDraft((current) => (isDraftOf(current, plant) ? emptyDraft() : current));
      return;
    }
    // The plant may come from the list, and the fields may have changed since it was sent.
    const inForm = isDraftOf(latestDraft.current, plant);
    if (failure.about === 'token') onTokenRejected(failure.message);
    else if (failure.about === 'id' && inForm) show({ id: failure.message });
    else setFailed(toFailed(plant, failure.message, inForm, isOpen({ state })));
  };
  const addAndShow = async (plant: NewPlant) => {
    setDone('');
    setFailed(undefined);
    const result = await add(plant);
    if (result !== undefined) finish(plant, result);
  };
  const submit = async () => {
    setChecking(true);
    const { plant, problems: found } = await checkDraft(draft)
      .catch(() => ({ plant: undefined, problems: undefined }))
      .finally(() => setChecking(false));
    if (found !== undefined) show(found);
    else setProblems({});
    if (plant !== undefined) await addAndShow(plant);
    else if (found === undefined) setFailed({ message: notLoaded });
  };
  const retry = (plant: NewPlant) => {
    form.current?.focusSubmit(); // The button that was pressed is about to go.
    void addAndShow(plant);
  };
  const offered = failed?.plant;

  return (
    <div className="columns">
      <PlantForm
        ref={form}
        draft={draft}
        problems={problems}
        pending={busy}
        onChange={change}
        onSubmit={() => void submit()}
        onRetry={offered && (() => retry(offered))}
      >
        <Outcome pending={pending} attempt={attempt} done={done} problem={failed?.message} />
      </PlantForm>
      <AddedList
        added={added}
        offeredKey={offered && lastKey}
        pending={busy}
        onRetry={(listed) => retry(toNewPlant(listed))}
      />
    </div>
  );
}

interface OutcomeProps {
  readonly pending: boolean;
  readonly attempt: number;
  /** That the service has the plant. */
  readonly done: string;
  readonly problem: string | undefined;
}

function Outcome({ pending, attempt, done, problem }: OutcomeProps) {
  const slow = useSlow(pending, 2_000);
  return (
    <div className="outcome">
      <p role="status" className="message">
        {slow ? waiting(attempt) : done}
      </p>
      <p role="alert" className="message problem">
        {problem}
      </p>
    </div>
  );
}

/** The failure as the form shows it: it names a plant that is not in the fields. */
function toFailed(plant: NewPlant, reason: string, inForm: boolean, open: boolean): Failed {
  return { message: inForm ? reason : `${nameOf(plant)}: ${reason}`, ...(open && { plant }) };
}

function toNewPlant({ id, name, tag }: AddedPlant): NewPlant {
  return { id: BigInt(id), name, ...(tag !== undefined && { tag }) };
}

function nameOf({ id, name }: NewPlant): string {
  return `${shorten(name)}, id ${id}`;
}

function waiting(attempt: number): string {
  return attempt > 1
    ? `The service has not taken the plant yet. Attempt ${attempt}…`
    : 'Waiting for the service…';
}

/** A problem goes with the value that it is about. */
function withoutChanged(problems: DraftProblems, before: Draft, after: Draft): DraftProblems {
  return {
    ...(problems.id !== undefined && before.id === after.id && { id: problems.id }),
    ...(problems.name !== undefined && before.name === after.name && { name: problems.name }),
    ...(problems.tag !== undefined && before.tag === after.tag && { tag: problems.tag }),
  };
}
