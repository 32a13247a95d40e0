import type { Plant } from '@plant-store/contract/operations';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { explainFailure } from '../shared/explain-failure.js';
import { usePlantStore } from '../shared/plant-store.js';
import { hasSameTexts, pickTexts } from '../shared/texts.js';
import { toVisible } from '../shared/to-visible.js';
import { formatTime } from './format-time.js';
import { PlantTexts } from './plant-texts.js';

interface PlantHistoryProps {
  readonly id: bigint;
  /** What the plant is now. */
  readonly plant: Plant;
  /** `undefined` where the token permits no update, or while one is sent. */
  readonly onRestore: ((plant: Plant) => void) | undefined;
}

/** What a plant was, once a person asks for it, with a button that restores a state. */
export function PlantHistory(props: PlantHistoryProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>History</summary>
      {isOpen && <States key={JSON.stringify(pickTexts(props.plant))} {...props} />}
    </details>
  );
}

/** The states of a plant, the latest first. */
function States({ id, plant, onRestore }: PlantHistoryProps) {
  const { getPlantHistory } = usePlantStore().operations;
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    ...getPlantHistory.infiniteQueryOptions({ params: { id }, query: { limit: 20 } }),
    networkMode: 'always',
    retry: false,
  });
  return (
    <>
      {data === undefined && error === null && <p className="note">Loading…</p>}
      <ol className="plant-history">
        {data?.pages
          .flatMap(({ states }) => states)
          .map(({ from, until, by, ...state }) => (
            <li key={`${from} ${until}`}>
              <PlantTexts plant={state} />
              <p className="note">
                {from === undefined ? 'Since an unknown time' : `Since ${formatTime(from)}`}
                {by !== undefined && ` by ${by.startsWith('subject ') ? by : `token ${by}`}`}
              </p>
              {onRestore !== undefined && until !== undefined && !hasSameTexts(state, plant) && (
                <button
                  type="button"
                  aria-label={`Restore ${toVisible(state.name, 80)}`}
                  onClick={() => onRestore(state)}
                >
                  Restore
                </button>
              )}
            </li>
          ))}
      </ol>
      {error !== null && (
        <p role="alert" className="message problem">
          {explainFailure(error, 'read').message}
        </p>
      )}
      {hasNextPage && (
        <button type="button" onClick={() => isFetching || void fetchNextPage()}>
          Show earlier states
        </button>
      )}
    </>
  );
}
