import type { NewPlant } from '@plant-store/contract/operations';
import { useRef, useState } from 'react';
import { notLoaded } from '../shared/load-boundary.js';
import { shorten } from '../shared/shorten.js';
import { useSlow } from '../shared/use-slow.js';
import { AddedList } from './added-list.js';
import type { AddedPlant } from './added-plants.js';
import { checkDraft, type Draft, type DraftProblems, isDraftOf } from './draft.js';
import { PlantForm, type PlantFormHandle } from './plant-form.js';
import { type AddResult, useAddPlant } from './use-add-plant.js';
import { emptyDraft, useDraft } from './use-draft.js';

interface OnePlantProps {
  readonly token: string;
  /** Called when the service rejects the token, with the reason. */
  onTokenRejected(message: string): void;
}

/** The tab "One plant": the form, and what was added. */
export function OnePlant({ token, onTokenRejected }: OnePlantProps) {
  const [draft, setDraft] = useDraft();
  const [problems, setProblems] = useState<DraftProblems>({});
  const [checking, setChecking] = useState(false);
  const [done, setDone] = useState('');
  const [failed, setFailed] = useState<{ message: string; plant?: NewPlant }>();
  const form = useRef<PlantFormHandle>(null);
  const { added, lastKey, pending, attempt, add } = useAddPlant(token);
  const busy = checking || pending;
  const slow = useSlow(pending, 2_000);

  const show = (found: DraftProblems) => {
    setProblems(found);
    form.current?.focusFirst(found);
  };
  const change = (changed: Draft) => {
    setDraft(changed);
    // A problem goes with the value that it is about.
    setProblems((before) => withoutChanged(before, draft, changed));
  };
  const finish = (plant: NewPlant, { state, failure }: AddResult) => {
    if (failure === undefined) {
      setDone(
        `${state === 'stored' ? 'Stored' : 'Was there already'}: ${shorten(plant.name)}, id ${plant.id}.`,
      );
      setDraft((current) => (isDraftOf(current, plant) ? emptyDraft() : current));
    } else if (failure.about === 'token') onTokenRejected(failure.message);
    else if (failure.about === 'id') show({ id: failure.message });
    else setFailed({ message: failure.message, ...(state === 'unconfirmed' && { plant }) });
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
  const unconfirmed = failed?.plant;
  const retryFailed = unconfirmed && (() => void addAndShow(unconfirmed));
  const retry = ({ id, name, tag }: AddedPlant) =>
    void addAndShow({ id: BigInt(id), name, ...(tag !== undefined && { tag }) });

  return (
    <div className="columns">
      <PlantForm
        ref={form}
        draft={draft}
        problems={problems}
        pending={busy}
        onChange={change}
        onSubmit={() => void submit()}
        onRetry={retryFailed}
      >
        <div className="outcome">
          <p role="status" className="message">
            {slow ? waiting(attempt) : done}
          </p>
          <p role="alert" className="message problem">
            {failed?.message}
          </p>
        </div>
      </PlantForm>
      <AddedList added={added} shownKey={lastKey} pending={busy} onRetry={retry} />
    </div>
  );
}

function waiting(attempt: number): string {
  return attempt > 1
    ? `The service has not taken the plant yet. Attempt ${attempt}…`
    : 'Waiting for the service…';
}

function withoutChanged(problems: DraftProblems, before: Draft, after: Draft): DraftProblems {
  return {
    ...(problems.id !== undefined && before.id === after.id && { id: problems.id }),
    ...(problems.name !== undefined && before.name === after.name && { name: problems.name }),
    ...(problems.tag !== undefined && before.tag === after.tag && { tag: problems.tag }),
  };
}
