import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAddPlant } from '../add/added/use-add-plant.js';
import { home, navigate, type PlantFilter } from '../route.js';
import { explainFailure } from '../shared/explain-failure.js';
import { noTexts, textNames } from '../shared/fields.js';
import { Icon } from '../shared/icon.js';
import { loadPart, notLoaded } from '../shared/load-boundary.js';
import { usePlantStore } from '../shared/plant-store.js';
import { suggestId } from '../shared/suggest-id.js';
import './first-plant.css';
import { checkDraft } from './form/draft.js';
import { resetLists, useShowAdded } from './use-plants.js';

/** The view of an empty store: a form for the first plant, and buttons to import or load examples. */
export function FirstPlant({ filter }: { readonly filter: PlantFilter }) {
  const { add, isPending } = useAddPlant();
  const showAdded = useShowAdded(filter);
  const { client, rejectToken } = usePlantStore();
  const queryClient = useQueryClient();
  const [texts, setTexts] = useState(() => ({ ...noTexts, id: suggestId() }));
  /** The last sent texts. A retry reuses their ID, because the plant might be stored even if the reply was lost. */
  const [sent, setSent] = useState(texts);
  const [problem, setProblem] = useState<string>();
  const [isLoading, setLoading] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(undefined);
    const isSame = textNames.every((name) => sent[name] === texts[name]);
    const draft = isSame ? { ...texts, id: sent.id } : { ...texts, id: suggestId() };
    const { plant, problems } = await checkDraft(draft).catch(() => ({
      plant: undefined,
      problems: undefined,
    }));
    if (plant === undefined) return setProblem(problems ? (problems.name ?? problems.tag) : notLoaded);
    setSent(draft);
    const result = await add(plant);
    if (result === undefined) return;
    if (result.failure === undefined) return void showAdded(plant.id);
    if (result.failure.about === 'token') rejectToken(result.failure.message);
    else setProblem(result.failure.message);
  };
  // Not with `useMutation`, which the first view does not load.
  const loadExamples = async () => {
    setLoading(true);
    try {
      const { addExamplePlants } = await loadPart(() => import('./example-plants.js'));
      await addExamplePlants(client);
      resetLists(queryClient);
    } catch (error) {
      const isNotLoaded = error instanceof Error && error.message === notLoaded;
      setProblem(isNotLoaded ? notLoaded : explainFailure(error, 'add').message);
    }
    setLoading(false);
  };
  return (
    <div className="first-plant">
      <Pots />
      <h2>Every plant, in one list</h2>
      <p className="lead">Enter your first plant. Everyone who uses this store can see it.</p>
      <form onSubmit={(event) => void submit(event)}>
        <label>
          <Icon name="plant" />
          <span className="visually-hidden">Name</span>
          <input
            dir="auto"
            autoComplete="off"
            placeholder="Lavandula angustifolia"
            value={texts.name}
            onChange={({ target }) => setTexts({ ...texts, name: target.value })}
          />
        </label>
        <label>
          <Icon name="tag" />
          <span className="visually-hidden">Tag</span>
          <input
            dir="auto"
            autoComplete="off"
            autoCapitalize="none"
            placeholder="Tag, if any"
            value={texts.tag}
            onChange={({ target }) => setTexts({ ...texts, tag: target.value })}
          />
        </label>
        <button
          type="submit"
          className="primary"
          aria-disabled={isPending}
          data-busy={isPending || undefined}
        >
          Add plant
        </button>
      </form>
      {problem !== undefined && (
        <p role="alert" className="message problem">
          {problem}
        </p>
      )}
      <div className="ways">
        <button type="button" onClick={() => navigate({ ...home, view: 'import' })}>
          <Icon name="sheet" />
          <strong>Import a spreadsheet</strong>
          <span>Choose an Excel or CSV file. You can review every line before it is saved.</span>
        </button>
        <button
          type="button"
          aria-disabled={isLoading}
          data-busy={isLoading || undefined}
          onClick={() => isLoading || void loadExamples()}
        >
          <Icon name="example" />
          <strong>Look around first</strong>
          <span>Load 20 example plants. You can delete them later.</span>
        </button>
      </div>
    </div>
  );
}

/** A drawing of four plants in pots. */
function Pots() {
  return (
    <svg className="pots" viewBox="0 0 360 150" aria-hidden="true" focusable="false">
      <path className="pots-floor" d="M4 148h352" />
      <g className="pots-stem">
        <path d="M52 100V30M52 100C44 76 36 60 26 46M52 100c8-24 16-40 26-54M130 106V52M216 96V34M216 70l-26-18M216 58l28-16M308 106V60M308 92l-18-20M308 86l18-14" />
      </g>
      <g className="pots-leaf">
        <path d="M52 100c-4-10-12-14-20-13 4 9 11 13 20 13Zm0 0c4-10 12-14 20-13-4 9-11 13-20 13ZM130 104c-2-14-9-21-20-22 0 13 8 21 20 22Zm0-8c2-14 9-21 20-22 0 13-8 21-20 22ZM216 34c-8-8-8-18 0-26 8 8 8 18 0 26Zm-26 18c-12 1-20-4-24-14 12-2 20 4 24 14Zm54-10c4-11 12-16 24-14-4 11-12 15-24 14Zm-28 50c-6-12-15-16-27-14 4 11 14 16 27 14Zm0 0c6-12 15-16 27-14-4 11-14 16-27 14Z" />
      </g>
      <g className="pots-violet">
        <circle cx="52" cy="26" r="5" />
        <circle cx="48" cy="38" r="4" />
        <circle cx="56" cy="38" r="4" />
        <circle cx="25" cy="42" r="5" />
        <circle cx="33" cy="54" r="4" />
        <circle cx="79" cy="42" r="5" />
        <circle cx="71" cy="54" r="4" />
      </g>
      <path className="pots-rose" d="M116 26c6 0 10 4 14-4 4 8 8 4 14 4 0 20-5 28-14 28s-14-8-14-28Z" />
      <g className="pots-yellow">
        <circle cx="308" cy="54" r="11" />
        <circle cx="288" cy="68" r="8" />
        <circle cx="328" cy="68" r="8" />
      </g>
      <g className="pots-pot">
        <path d="m26 110 6 38h40l6-38ZM108 112l5 36h34l5-36ZM180 104l8 44h56l8-44ZM284 112l5 36h38l5-36Z" />
      </g>
      <g className="pots-rim">
        <path d="M22 100h60v11H22zM104 103h52v10h-52zM176 94h80v12h-80zM279 103h58v10h-58z" />
      </g>
    </svg>
  );
}
