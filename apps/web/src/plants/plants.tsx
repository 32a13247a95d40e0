import { isRejectedError } from '@plant-store/client/tanstack-query';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { home, navigate, type PlantFilter, type Route } from '../route.js';
import { explainError, explainRejection, type Failure } from '../shared/explain-failure.js';
import { useKeys } from '../shared/keys.js';
import { LoadBoundary, loadPart, notLoaded } from '../shared/load-boundary.js';
import { usePlantStore } from '../shared/plant-store.js';
import { Sprig } from '../shared/sprig.js';
import { PlantTable, type PlantTableHandle } from './plant-table.js';
import './plants.css';
import { Toolbar } from './toolbar.js';
import { UndoBar } from './undo-bar.js';
import { useDeletes } from './use-deletes.js';
import { forgetLists, usePlants } from './use-plants.js';

const PlantSheet = lazy(async () => {
  const { PlantSheet } = await loadPart(() => import('./plant-sheet.js'));
  return { default: PlantSheet };
});

interface PlantsProps {
  readonly route: Route;
}

/** The plants of the store: search, filters, the table, and the plant that is open. */
export function Plants({ route }: PlantsProps) {
  const { rejectToken } = usePlantStore();
  const { filter, id } = route;
  const { rows, error, isFetching, isPending, hasNextPage, fetchNextPage, refetch, isPlaceholderData } =
    usePlants(filter);
  const { last, remove, undo, dismiss } = useDeletes(filter);
  useChanges(filter);
  useKeys({ 'mod+z': () => void undo() });
  const table = useRef<PlantTableHandle>(null);
  const failure = error === null ? undefined : explain(error);
  useEffect(() => {
    if (failure?.about === 'token') rejectToken(failure.message);
  }, [failure?.about, failure?.message, rejectToken]);

  const loadMore = () => {
    if (!isFetching && error === null) void fetchNextPage();
  };
  // A request examines so many plants at most: its page may be empty, and others follow.
  const isSearching = hasNextPage && rows.count === 0 && failure === undefined;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);

  const close = () => {
    navigate({ view: 'plants', filter });
    table.current?.focusRow();
  };
  return (
    <section aria-label="Plants" className="plants">
      <Toolbar filter={filter} />
      <p role="status" className="list-status">
        {describe({
          count: rows.count,
          searched: isPending || isPlaceholderData ? 0 : rows.pages * mostExamined,
          isLoading: isPending || isPlaceholderData,
          hasNextPage,
          filter,
        })}
      </p>
      {failure !== undefined && failure.about !== 'token' && (
        <div className="stack list-problem">
          <p role="alert" className="message problem">
            {failure.message}
          </p>
          {failure.about !== 'scope' && (
            <button type="button" onClick={() => void (rows.count > 0 ? fetchNextPage() : refetch())}>
              Load again
            </button>
          )}
        </div>
      )}
      {rows.count > 0 ? (
        <PlantTable
          ref={table}
          rows={rows}
          isComplete={!hasNextPage}
          isStale={isPlaceholderData}
          filter={filter}
          onEndReached={loadMore}
          onDelete={(plants) => plants.forEach(remove)}
        />
      ) : (
        <Nothing isLoading={isPending || isSearching || failure !== undefined} filter={filter} />
      )}
      {id !== undefined && (
        <LoadBoundary>
          <Suspense>
            <PlantSheet
              key={id}
              id={BigInt(id)}
              filter={filter}
              onClose={close}
              onDelete={(plant) => {
                close();
                remove(plant);
              }}
            />
          </Suspense>
        </LoadBoundary>
      )}
      <UndoBar last={last} onUndo={() => void undo()} onDismiss={dismiss} />
    </section>
  );
}

function explain(error: unknown): Failure {
  return isRejectedError(error) ? explainRejection(error) : explainError(error);
}

/** How many plants the service examines for a page at most. */
const mostExamined = 10_000;

interface Described {
  readonly count: number;
  /** How many plants were searched at most. */
  readonly searched: number;
  /** Whether the first page is not there yet. */
  readonly isLoading: boolean;
  readonly hasNextPage: boolean;
  readonly filter: PlantFilter;
}

function describe({ count, searched, isLoading, hasNextPage, filter }: Described): string {
  const isFiltered = filter.q !== undefined || filter.tag !== undefined;
  if (isLoading) return isFiltered ? 'Searching…' : 'Loading…';
  const number = count.toLocaleString();
  if (!hasNextPage) return `${number} ${count === 1 ? 'plant' : 'plants'}${isFiltered ? ' found' : ''}`;
  if (!isFiltered) return `${number} shown so far, more follow`;
  return `${number} found so far among up to ${searched.toLocaleString()} searched`;
}

interface NothingProps {
  readonly isLoading: boolean;
  readonly filter: PlantFilter;
}

function Nothing({ isLoading, filter }: NothingProps) {
  if (isLoading) return <div className="empty" />;
  const isFiltered = filter.q !== undefined || filter.tag !== undefined;
  return (
    <div className="empty">
      <Sprig />
      {isFiltered ? (
        <>
          <p>No plant matches.</p>
          <button type="button" onClick={() => navigate({ view: 'plants', filter: { order: filter.order } })}>
            Show all plants
          </button>
        </>
      ) : (
        <>
          <p>No plants yet.</p>
          <div className="submit-row">
            <button type="button" className="primary" onClick={() => navigate({ ...home, view: 'add' })}>
              Add the first
            </button>
            <button type="button" onClick={() => navigate({ ...home, view: 'import' })}>
              Import a file
            </button>
            <LoadExamples />
          </div>
        </>
      )}
    </div>
  );
}

/** Shows what others change meanwhile, where the service and the token permit that. */
function useChanges(filter: PlantFilter): void {
  const { client } = usePlantStore();
  const queryClient = useQueryClient();
  const latest = useRef(filter);
  useEffect(() => {
    latest.current = filter;
  });
  useEffect(() => {
    const control = new AbortController();
    void loadPart(() => import('./show-changes.js'))
      .then(({ showChanges }) => showChanges(queryClient, client, () => latest.current, control.signal))
      // The list says what is wrong, if it is not this alone.
      .catch(() => undefined);
    return () => control.abort();
  }, [queryClient, client]);
}

/** Adds plants to try the page with. */
function LoadExamples() {
  const { client } = usePlantStore();
  const queryClient = useQueryClient();
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  // Not by `useMutation`, which the first view does without.
  const load = async () => {
    setPending(true);
    try {
      const { addExamplePlants } = await loadPart(() => import('./example-plants.js'));
      await addExamplePlants(client);
      forgetLists(queryClient);
    } catch (error) {
      const isNotLoaded = error instanceof Error && error.message === notLoaded;
      setProblem(isNotLoaded ? notLoaded : explain(error).message);
    }
    setPending(false);
  };
  return (
    <>
      <button
        type="button"
        aria-disabled={isPending}
        data-busy={isPending || undefined}
        onClick={() => isPending || void load()}
      >
        Load 20 examples
      </button>
      {problem !== undefined && (
        <p role="alert" className="message problem">
          {problem}
        </p>
      )}
    </>
  );
}
