import { isRejectedError } from '@plant-store/client/tanstack-query';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { navigate, type PlantFilter, type Route } from '../route.js';
import { explainError, explainRejection, type Failure } from '../shared/explain-failure.js';
import { LoadBoundary, loadPart } from '../shared/load-boundary.js';
import { Sprig } from '../shared/sprig.js';
import { PlantTable, type PlantTableHandle } from './plant-table.js';
import './plants.css';
import { Toolbar } from './toolbar.js';
import { UndoBar } from './undo-bar.js';
import { useDeletes } from './use-deletes.js';
import { usePlants } from './use-plants.js';

const PlantSheet = lazy(async () => {
  const { PlantSheet } = await loadPart(() => import('./plant-sheet.js'));
  return { default: PlantSheet };
});

interface PlantsProps {
  readonly token: string;
  readonly route: Route;
  /** Called when the service rejects the token, with the reason. */
  onTokenRejected(message: string): void;
}

/** The plants of the store: search, filters, the table, and the plant that is open. */
export function Plants({ token, route, onTokenRejected }: PlantsProps) {
  const { filter, id } = route;
  const { rows, error, isFetching, isPending, hasNextPage, fetchNextPage, refetch, isPlaceholderData } =
    usePlants(token, filter);
  const { last, remove, undo, dismiss } = useDeletes(token, filter.order, onTokenRejected);
  const table = useRef<PlantTableHandle>(null);
  const failure = toFailure(error);
  useEffect(() => {
    if (failure?.about === 'token') onTokenRejected(failure.message);
  }, [failure?.about, failure?.message, onTokenRejected]);

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
      <Toolbar filter={filter} rows={rows} token={token} />
      <p role="status" className="list-status">
        {describe({ count: rows.count, hasNextPage, isPending, isSearching, filter })}
      </p>
      {failure !== undefined && failure.about !== 'token' && (
        <div className="stack list-problem">
          <p role="alert" className="message problem">
            {failure.message}
          </p>
          <button type="button" onClick={() => void (rows.count > 0 ? fetchNextPage() : refetch())}>
            Load again
          </button>
        </div>
      )}
      {rows.count > 0 ? (
        <PlantTable
          // The next list begins at its first row.
          key={JSON.stringify(filter)}
          ref={table}
          rows={rows}
          isComplete={!hasNextPage}
          isStale={isPlaceholderData}
          filter={filter}
          onEndReached={loadMore}
        />
      ) : (
        <Nothing isLoading={isPending || isSearching || failure !== undefined} filter={filter} />
      )}
      {id !== undefined && (
        <LoadBoundary>
          <Suspense>
            <PlantSheet
              key={id}
              token={token}
              id={BigInt(id)}
              onClose={close}
              onDelete={(plant) => {
                close();
                remove(plant);
              }}
              onTokenRejected={onTokenRejected}
            />
          </Suspense>
        </LoadBoundary>
      )}
      <UndoBar last={last} onUndo={undo} onDismiss={dismiss} />
    </section>
  );
}

function toFailure(error: Error | null): Failure | undefined {
  if (error === null) return undefined;
  return isRejectedError(error) ? explainRejection(error) : explainError(error);
}

interface Described {
  readonly count: number;
  readonly hasNextPage: boolean;
  readonly isPending: boolean;
  readonly isSearching: boolean;
  readonly filter: PlantFilter;
}

function describe({ count, hasNextPage, isPending, isSearching, filter }: Described): string {
  if (isPending) return 'Loading…';
  if (isSearching) return 'Searching…';
  const isFiltered = filter.q !== undefined || filter.tag !== undefined;
  const number = count.toLocaleString();
  if (hasNextPage) return `${number} ${isFiltered ? 'found' : 'shown'} so far, more follow`;
  return `${number} ${count === 1 ? 'plant' : 'plants'}${isFiltered ? ' found' : ''}`;
}

function Nothing({ isLoading, filter }: { readonly isLoading: boolean; readonly filter: PlantFilter }) {
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
            <button
              type="button"
              className="primary"
              onClick={() => navigate({ view: 'one', filter: { order: 'newest' } })}
            >
              Add a plant
            </button>
            <button type="button" onClick={() => navigate({ view: 'many', filter: { order: 'newest' } })}>
              Add many from a file
            </button>
          </div>
        </>
      )}
    </div>
  );
}
