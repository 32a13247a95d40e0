import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { home, navigate, onStay, type PlantFilter, type Route } from '../route.js';
import { explainFailure } from '../shared/explain-failure.js';
import { useKeys } from '../shared/keys.js';
import { LackingScope } from '../shared/lacking-scope.js';
import { LoadBoundary, loadPart, notLoaded } from '../shared/load-boundary.js';
import { usePlantStore } from '../shared/plant-store.js';
import { Sprig } from '../shared/sprig.js';
import { useMay, useScopes } from '../shared/use-scopes.js';
import { matchesFields, type PlantRows, withFirst } from './plant-pages.js';
import { PlantTable, type PlantTableHandle } from './plant-table.js';
import { readSearchedId } from './read-searched-id.js';
import './plants.css';
import { Toolbar } from './toolbar.js';
import { UndoBar } from './undo-bar.js';
import { useUndo } from './undo-provider.js';
import { forgetLists, readAgain, usePlant, usePlants } from './use-plants.js';

const PrintList = lazy(async () => {
  const { PrintList } = await loadPart(() => import('./print-list.js'));
  return { default: PrintList };
});

const PlantSheet = lazy(async () => {
  const { PlantSheet } = await loadPart(() => import('./plant-sheet.js'));
  return { default: PlantSheet };
});

interface PlantsProps {
  readonly route: Route;
}

/** The plants of the store, or what the token permits instead of seeing them. */
export function Plants({ route }: PlantsProps) {
  const scopes = useScopes();
  if (scopes?.includes('read') ?? true) return <ReadablePlants route={route} />;
  return (
    <section aria-label="Plants" className="panel stack">
      {route.view === 'plants' && scopes !== undefined && <LackingScope scopes={scopes} />}
      <AddingButtons />
    </section>
  );
}

/** The ways to add plants, where the token permits that. */
function AddingButtons({ children }: { readonly children?: ReactNode }) {
  if (!useMay('create')) return null;
  return (
    <div className="submit-row">
      <button type="button" className="primary" onClick={() => navigate({ ...home, view: 'add' })}>
        {children === undefined ? 'Add a plant' : 'Add the first'}
      </button>
      <button type="button" onClick={() => navigate({ ...home, view: 'import' })}>
        Import a file
      </button>
      {children}
    </div>
  );
}

/** Search, filters, the table, and the plant that is open. */
function ReadablePlants({ route }: PlantsProps) {
  const { rejectToken } = usePlantStore();
  const { filter, id } = route;
  const { leaving, remove, sendWaiting, undo } = useUndo();
  // Before an import, say, adds the same plants.
  useEffect(() => sendWaiting, [sendWaiting]);
  const isFollowing = useChanges(filter);
  const [isPrintAsked, setPrintAsked] = useState(false);
  const askToPrint = () => setPrintAsked(true);
  useKeys({ 'mod+z': () => void undo(), 'mod+p': askToPrint });
  const searched = useSearchedPlant(filter, leaving);
  const list = usePlants({
    filter,
    isFollowing,
    leaving: useMemo(
      () => (searched.plant === undefined ? leaving : new Set([...leaving, searched.plant.id])),
      [leaving, searched.plant],
    ),
  });
  const { isFetching, isPending, hasNextPage, fetchNextPage, isPlaceholderData } = list;
  const table = useRef<PlantTableHandle>(null);
  const failure = list.failure ?? searched.failure;
  useEffect(() => {
    if (failure?.about === 'token') rejectToken(failure.message);
  }, [failure?.about, failure?.message, rejectToken]);
  const isAway = failure?.about === 'later';
  const readNow = useReadAgain({ isAway, isFollowing });

  const rows = useMemo(
    () => (searched.plant === undefined ? list.rows : withFirst(searched.plant, list.rows)),
    [searched.plant, list.rows],
  );
  const loadMore = () => {
    if (!isFetching && failure === undefined) void fetchNextPage();
  };
  // All that was loaded may have been deleted, and more follows.
  const isSearching = hasNextPage && list.rows.count === 0 && failure === undefined;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);

  const close = () => {
    navigate({ view: 'plants', filter });
    table.current?.focusRow();
  };
  const isCounted = !isPending && !isPlaceholderData && failure?.about !== 'scope';
  return (
    <section aria-label="Plants" className="plants">
      <Toolbar
        filter={filter}
        isMissing={searched.state === 'missing'}
        onPrint={askToPrint}
        areFew={isCounted && !hasNextPage && rows.count < fewPlants}
      />
      <p role="status" className="list-status">
        {isCounted
          ? describe({ rows, total: list.total, searched: searched.state, hasNextPage, filter })
          : failure === undefined && (isFiltered(filter) ? 'Searching…' : 'Loading…')}
      </p>
      {failure !== undefined && failure.about !== 'token' && (
        <div className="stack list-problem">
          <p role="alert" className="message problem">
            {isAway ? `${failure.cause} ${describeWait(rows.count > 0)}` : failure.message}
          </p>
          {isAway && (
            <button type="button" onClick={readNow}>
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
          isStale={isPlaceholderData || isAway}
          filter={filter}
          onEndReached={loadMore}
          onDelete={remove}
        />
      ) : (
        <Nothing
          isLoading={!isCounted || isSearching || isAway || searched.state === 'asking'}
          filter={filter}
        />
      )}
      {rows.count > 0 && (
        <LoadBoundary>
          <Suspense>
            <PrintList
              rows={rows}
              isComplete={!hasNextPage}
              canLoad={failure === undefined}
              filter={filter}
              isAsked={isPrintAsked}
              onLoadMore={loadMore}
              onPrint={() => setPrintAsked(false)}
            />
          </Suspense>
        </LoadBoundary>
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
                remove([plant]);
              }}
            />
          </Suspense>
        </LoadBoundary>
      )}
      <UndoBar />
    </section>
  );
}

function describeWait(hasRows: boolean): string {
  return `This page goes on by itself as soon as it can${hasRows ? '; the plants below are as they were before' : ''}.`;
}

/** Fewer found ones are few. */
const fewPlants = 10;

/** What is known of an id that is searched for; `other`: a plant has it, but not what else the list asks for. */
type SearchedState = 'none' | 'asking' | 'found' | 'missing' | 'other';

/** The plant whose id is searched for. */
function useSearchedPlant(filter: PlantFilter, leaving: ReadonlySet<bigint>) {
  const id = readSearchedId(filter.q ?? '');
  const { data, failure } = usePlant(id);
  const isMissing = failure?.about === 'plant' || (id !== undefined && leaving.has(id));
  const hasOther = data !== undefined && !matchesFields(data, filter);
  const state = toState();
  return {
    state,
    plant: state === 'found' ? data : undefined,
    failure: failure?.about === 'later' ? failure : undefined,
  };

  function toState(): SearchedState {
    if (id === undefined) return 'none';
    if (isMissing) return 'missing';
    if (data === undefined) return 'asking';
    return hasOther ? 'other' : 'found';
  }
}

const isFiltered = ({ q, tag, without }: PlantFilter) =>
  [q, tag, without].some((value) => value !== undefined);

interface Described {
  readonly rows: PlantRows;
  readonly total: ReturnType<typeof usePlants>['total'];
  readonly searched: SearchedState;
  readonly hasNextPage: boolean;
  readonly filter: PlantFilter;
}

function describe({ rows, total, searched, hasNextPage, filter }: Described): string {
  const count = hasNextPage ? (total?.total ?? rows.count) : rows.count;
  const number = `${hasNextPage && total?.totalIsEstimate ? 'about ' : ''}${count.toLocaleString()}`;
  const ofId = {
    none: '',
    asking: '',
    found: rows.count === 1 ? ', by its id' : ', the one with this id first',
    missing: '. No plant has this id',
    other: '. The plant with this id has another tag',
  }[searched];
  if (searched === 'asking' && rows.count === 0) return 'Searching…';
  return `${number} ${count === 1 ? 'plant' : 'plants'}${isFiltered(filter) ? ' found' : ''}${ofId}`;
}

interface NothingProps {
  readonly isLoading: boolean;
  readonly filter: PlantFilter;
}

function Nothing({ isLoading, filter }: NothingProps) {
  if (isLoading) return <div className="empty" />;
  return (
    <div className="empty">
      <Sprig />
      {isFiltered(filter) ? (
        <>
          <p>No plant matches.</p>
          <button type="button" onClick={() => navigate({ view: 'plants', filter: { order: filter.order } })}>
            Show all plants
          </button>
        </>
      ) : (
        <>
          <p>No plants yet.</p>
          <AddingButtons>
            <LoadExamples />
          </AddingButtons>
        </>
      )}
    </div>
  );
}

/** Shows what others change meanwhile, where the service and the token permit that, and returns whether they do. */
function useChanges(filter: PlantFilter): boolean {
  const { client } = usePlantStore();
  const queryClient = useQueryClient();
  const [isFollowing, onFollowing] = useState(false);
  const latest = useRef(filter);
  useEffect(() => {
    latest.current = filter;
  });
  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    void loadPart(() => import('./show-changes.js'))
      .then(({ showChanges }) =>
        showChanges({ queryClient, client, signal, onFollowing, filterOf: () => latest.current }),
      )
      // The list says what is wrong, if it is not this alone.
      .catch(() => undefined);
    return () => control.abort();
  }, [queryClient, client]);
  return isFollowing;
}

interface ReadAgainOptions {
  readonly isAway: boolean;
  readonly isFollowing: boolean;
}

/**
 * Reads again at once what failed when the person returns or the network does, and the list where they go to the plants
 * and the page hears of no changes. Returns what reads again what failed.
 */
function useReadAgain({ isAway, isFollowing }: ReadAgainOptions): () => void {
  const queryClient = useQueryClient();
  const readNow = () => void readAgain(queryClient);
  useEffect(() => {
    if (!isAway) return;
    const again = () => void readAgain(queryClient);
    window.addEventListener('online', again);
    window.addEventListener('focus', again);
    return () => {
      window.removeEventListener('online', again);
      window.removeEventListener('focus', again);
    };
  }, [isAway, queryClient]);
  useEffect(
    () =>
      onStay(() => {
        if (!isFollowing) forgetLists(queryClient);
      }),
    [isFollowing, queryClient],
  );
  return readNow;
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
      setProblem(isNotLoaded ? notLoaded : explainFailure(error, 'add').message);
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
