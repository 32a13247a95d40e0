import type { StoredPlant } from '@plant-store/contract/operations';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { home, navigate, onStay, type PlantFilter, type Route } from '../route.js';
import { useKeys } from '../shared/keys.js';
import { lazyPart, loadPart } from '../shared/load-boundary.js';
import { MissingScope } from '../shared/missing-scope.js';
import { usePlantStore, useRejectedToken } from '../shared/plant-store.js';
import { readLabelFormat } from '../shared/preferences.js';
import { toVisible } from '../shared/to-visible.js';
import { useHasScope, useScopes } from '../shared/use-scopes.js';
import { useColumns } from './columns.js';
import { formatMinute } from './format-time.js';
import { matchesFields, type PlantRows, withFirst } from './plant-pages.js';
import { PlantTable, type PlantTableHandle } from './plant-table.js';
import { readSearchedId } from './read-searched-id.js';
import './plants.css';
import type { PrintRequest } from './print.js';
import { useSelection } from './selection/use-selection.js';
import { Toolbar } from './toolbar.js';
import { UndoBar } from './undo-bar.js';
import { useUndo } from './undo-provider.js';
import { useExport } from './use-export.js';
import { resetLists, retryFailedReads, usePlant, usePlants } from './use-plants.js';

const SelectionBar = lazyPart(async () => (await import('./selection/selection-bar.js')).SelectionBar);
const FirstPlant = lazyPart(async () => (await import('./first-plant.js')).FirstPlant);
const DeleteAllDialog = lazyPart(async () => (await import('./delete-all-dialog.js')).DeleteAllDialog);
const Print = lazyPart(async () => (await import('./print.js')).Print);
const PlantSheet = lazyPart(async () => (await import('./plant-sheet.js')).PlantSheet);

interface PlantsProps {
  readonly route: Route;
  /** Called to show the side bar if it is hidden for lack of space. */
  readonly onMenu?: (() => void) | undefined;
}

/** Shows the store's plants, or if the token does not permit reading, what it permits. */
export function Plants({ route, onMenu }: PlantsProps) {
  const scopes = useScopes();
  if (scopes?.includes('read') ?? true) return <ReadablePlants route={route} onMenu={onMenu} />;
  return (
    <section aria-label="Plants" className="panel stack">
      <h1>Plants</h1>
      {route.view === 'plants' && scopes !== undefined && <MissingScope scopes={scopes} />}
      <AddingButtons />
    </section>
  );
}

/** The buttons to add plants, if the token permits that. */
function AddingButtons() {
  if (!useHasScope('create')) return null;
  return (
    <div className="submit-row">
      <button type="button" className="primary" onClick={() => navigate({ ...home, view: 'add' })}>
        Add plant
      </button>
      <button type="button" onClick={() => navigate({ ...home, view: 'import' })}>
        Import a file
      </button>
    </div>
  );
}

/** The toolbar, the table, and the open plant. */
function ReadablePlants({ route, onMenu }: PlantsProps) {
  const { filter, id } = route;
  const { pendingDeletes, remove, sendWaiting, undo } = useUndo();
  // Another view, such as the import, can add the same plants, so waiting deletes are sent first.
  useEffect(() => sendWaiting, [sendWaiting]);
  const isFollowing = useChanges(filter);
  const columns = useColumns();
  const [isSelecting, setSelecting] = useState(false);
  const [isConfirmingDelete, setConfirmingDelete] = useState(false);
  const exported = useExport(filter);
  const [printing, setPrinting] = useState<PrintRequest>();
  const printLabels = (plants: readonly StoredPlant[]) =>
    setPrinting({ what: 'labels', format: readLabelFormat(), plants });
  useKeys({ 'mod+z': () => void undo(), 'mod+p': () => setPrinting({ what: 'list' }) });
  const searched = useSearchedPlant(filter, pendingDeletes);
  const list = usePlants({
    filter,
    isFollowing,
    pendingDeletes: useMemo(
      () => (searched.plant === undefined ? pendingDeletes : new Set([...pendingDeletes, searched.plant.id])),
      [pendingDeletes, searched.plant],
    ),
  });
  const { isFetching, isPending, hasNextPage, fetchNextPage, isPlaceholderData } = list;
  const table = useRef<PlantTableHandle>(null);
  const failure = list.failure ?? searched.failure;
  useRejectedToken(failure);
  const isUnavailable = failure?.about === 'later';
  const retryNow = useRetryFailedReads(isUnavailable, isFollowing);

  const rows = useMemo(
    () => (searched.plant === undefined ? list.rows : withFirst(searched.plant, list.rows)),
    [searched.plant, list.rows],
  );
  const selection = useSelection(rows);
  const loadMore = () => {
    if (!isFetching && failure === undefined) void fetchNextPage();
  };
  // All loaded plants might be deleted although the list has more.
  const needsNextPage = hasNextPage && list.rows.count === 0 && failure === undefined;
  useEffect(() => {
    if (needsNextPage && !isFetching) void fetchNextPage();
  }, [needsNextPage, isFetching, fetchNextPage]);

  /** The action to run on all plants of a list once they are loaded. */
  const [forAll, setForAll] = useState<{ readonly action: 'select' | 'delete'; readonly list: string }>();
  const shownList = JSON.stringify(filter);
  useEffect(() => {
    if (forAll === undefined) return;
    // The person has opened another list.
    if (forAll.list !== shownList) return setForAll(undefined);
    if (isFetching) return;
    if (hasNextPage && failure === undefined) return void fetchNextPage();
    setForAll(undefined);
    if (forAll.action === 'select') selection.selectAll();
    else if (failure === undefined)
      remove(
        Array.from({ length: rows.count }, (_, index) => rows.at(index)).filter(
          (plant) => plant !== undefined,
        ),
      );
  });
  const close = () => {
    navigate({ view: 'plants', filter });
    table.current?.focusRow();
  };
  const removeSelected = () => {
    const plants = selection.plants();
    selection.clear();
    table.current?.focusRow();
    removeOrConfirm(plants);
  };
  /** Deletes plants. Asks first if there are many and they are the whole list. */
  const removeOrConfirm = (plants: readonly StoredPlant[]) => {
    if (plants.length >= minPlantsToConfirm && plants.length >= (total ?? 0)) setConfirmingDelete(true);
    else remove(plants);
  };
  const openId = id === undefined ? undefined : BigInt(id);
  const openIndex = useMemo(() => (openId === undefined ? -1 : rows.indexOf(openId)), [rows, openId]);
  const isCounted = !isPending && !isPlaceholderData && failure?.about !== 'scope';
  const total = !isCounted ? undefined : hasNextPage ? list.total?.total : rows.count;
  const isEmpty =
    isCounted && rows.count === 0 && !needsNextPage && !isUnavailable && searched.state !== 'loading';
  return (
    <section
      aria-label="Plants"
      className="plants"
      data-empty={(isEmpty && !isFiltered(filter)) || undefined}
    >
      <Toolbar
        filter={filter}
        count={total}
        columns={columns}
        isSearchedIdMissing={searched.state === 'missing'}
        hasFewMatches={isCounted && !hasNextPage && rows.count < fewPlants}
        isSelecting={isSelecting}
        onSelecting={(isOn) => {
          setSelecting(isOn);
          if (!isOn) selection.clear();
        }}
        onMenu={onMenu}
        onDown={() => table.current?.focusRow()}
        onPrint={setPrinting}
        onExport={exported.start}
        onDeleteAll={() => setConfirmingDelete(true)}
      />
      {failure !== undefined && failure.about !== 'token' && (
        <div className="list-problem">
          <p role="alert" className="message problem">
            {isUnavailable ? `${failure.cause} ${describeWait(rows.count > 0)}` : failure.message}
          </p>
          {isUnavailable && (
            <button type="button" onClick={retryNow}>
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
          isStale={isPlaceholderData || isUnavailable}
          filter={filter}
          columns={columns.shown}
          selection={selection}
          isSelecting={isSelecting}
          openId={openId}
          onEndReached={loadMore}
          onDelete={removeOrConfirm}
        />
      ) : (
        <EmptyList isLoading={!isEmpty} filter={filter} />
      )}
      <footer className="status-bar">
        <p role="status" className="list-status">
          {isCounted
            ? describeList({ rows, total: list.total, searched: searched.state, hasNextPage, filter })
            : failure === undefined && (isFiltered(filter) ? 'Searching…' : 'Loading…')}
        </p>
        {isCounted && (
          <p>
            {isUnavailable ? `Offline. Last updated at ${formatMinute(list.dataUpdatedAt)}.` : 'Up to date'}
          </p>
        )}
      </footer>
      {rows.count > 0 && (
        <Print
          rows={rows}
          isComplete={!hasNextPage}
          canLoad={failure === undefined}
          filter={filter}
          columns={columns.shown}
          request={printing}
          onLoadMore={loadMore}
          onPrint={() => setPrinting(undefined)}
        />
      )}
      {openId !== undefined && (
        <PlantSheet
          id={openId}
          filter={filter}
          listPosition={openIndex === -1 ? undefined : { index: openIndex, count: total }}
          onMove={(step) => table.current?.openNext(step)}
          onClose={close}
          onPrintLabel={(plant) => printLabels([plant])}
          onDelete={(plant) => {
            close();
            remove([plant]);
          }}
        />
      )}
      <p role="status" className="visually-hidden">
        {selection.count > 0 && <span>{`${selection.count.toLocaleString()} selected`}</span>}
      </p>
      <div className="floating">
        <UndoBar />
        {exported.status}
        {selection.count > 0 && (
          <SelectionBar
            selection={selection}
            total={hasNextPage ? total : undefined}
            filter={filter}
            onSelectAll={() => setForAll({ action: 'select', list: shownList })}
            onPrintLabels={() => printLabels(selection.plants())}
            onDelete={removeSelected}
          />
        )}
      </div>
      {isConfirmingDelete && (
        <DeleteAllDialog
          filter={filter}
          count={total ?? 0}
          onDelete={() => {
            setConfirmingDelete(false);
            setForAll({ action: 'delete', list: shownList });
          }}
          onClose={() => setConfirmingDelete(false)}
        />
      )}
    </section>
  );
}

function describeWait(hasRows: boolean): string {
  return `This page resumes automatically${hasRows ? '. The plants below are not up to date' : ''}.`;
}

/** Deleting a whole list of at least this many plants asks first. */
const minPlantsToConfirm = 20;

/** Fewer matches than this count as few. */
const fewPlants = 10;

/** What is known about the plant whose ID is searched for. `other`: the plant does not match the filter. */
type SearchedState = 'none' | 'loading' | 'found' | 'missing' | 'other';

/** Finds the plant whose ID is searched for. */
function useSearchedPlant(filter: PlantFilter, pendingDeletes: ReadonlySet<bigint>) {
  const id = readSearchedId(filter.q ?? '');
  const { data, failure } = usePlant(id);
  const isMissing = failure?.about === 'plant' || (id !== undefined && pendingDeletes.has(id));
  const state = ((): SearchedState => {
    if (id === undefined) return 'none';
    if (isMissing) return 'missing';
    if (data === undefined) return 'loading';
    return matchesFields(data, filter) ? 'found' : 'other';
  })();
  return {
    state,
    plant: state === 'found' ? data : undefined,
    failure: failure?.about === 'later' ? failure : undefined,
  };
}

const isFiltered = ({ q, tag, without }: PlantFilter) =>
  [q, tag, without].some((value) => value !== undefined);

interface ListDescription {
  readonly rows: PlantRows;
  readonly total: ReturnType<typeof usePlants>['total'];
  readonly searched: SearchedState;
  readonly hasNextPage: boolean;
  readonly filter: PlantFilter;
}

function describeList({ rows, total, searched, hasNextPage, filter }: ListDescription): string {
  const count = hasNextPage ? (total?.total ?? rows.count) : rows.count;
  const number = `${hasNextPage && total?.totalIsEstimate ? 'about ' : ''}${count.toLocaleString()}`;
  const idNote = {
    none: '',
    loading: '',
    found: rows.count === 1 ? ' by ID' : ', with the exact ID match first',
    missing: '. No plant has this ID',
    other: '. The plant with this ID has a different tag',
  }[searched];
  if (searched === 'loading' && rows.count === 0) return 'Searching…';
  return `${number} ${count === 1 ? 'plant' : 'plants'}${isFiltered(filter) ? ' found' : ''}${idNote}`;
}

interface EmptyListProps {
  readonly isLoading: boolean;
  readonly filter: PlantFilter;
}

function EmptyList({ isLoading, filter }: EmptyListProps) {
  const canAdd = useHasScope('create');
  if (isLoading) {
    return (
      <div className="empty loading-rows" aria-hidden>
        {[0, 1, 2, 3, 4, 5].map((row) => (
          <span key={row} />
        ))}
      </div>
    );
  }
  if (isFiltered(filter)) {
    return (
      <div className="empty">
        <h2>
          <NothingFound filter={filter} />
        </h2>
        <button type="button" onClick={() => navigate({ view: 'plants', filter: { order: filter.order } })}>
          Show all plants
        </button>
      </div>
    );
  }
  return <div className="empty">{canAdd ? <FirstPlant filter={filter} /> : <h2>No plants yet</h2>}</div>;
}

/** The maximum length of a quoted search text, in characters. */
const maxQuotedLength = 60;

function NothingFound({ filter: { q, tag, without } }: { readonly filter: PlantFilter }) {
  if (q === undefined)
    return (
      <span key={without}>{without === undefined ? 'No plant has this tag' : 'Every plant has a tag'}</span>
    );
  const isWholeStore = tag === undefined && without === undefined;
  return (
    <>
      <span>{isWholeStore ? 'No plant has' : 'No plant here has'}</span>{' '}
      <bdi translate="no">{`“${toVisible(q, maxQuotedLength)}”`}</bdi> <span>in its name</span>
    </>
  );
}

/** Shows changes by others as they happen, if the service and the token permit that. Returns whether the page receives them. */
function useChanges(filter: PlantFilter): boolean {
  const { client } = usePlantStore();
  const queryClient = useQueryClient();
  const [isFollowing, onFollowing] = useState(false);
  const filterOf = useEffectEvent(() => filter);
  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    void loadPart(() => import('./show-changes.js'))
      .then(({ showChanges }) =>
        showChanges({ queryClient, client, signal, onFollowing, filterOf: () => filterOf() }),
      )
      // Ignored, because the list reports a problem that also affects it.
      .catch(() => undefined);
    return () => control.abort();
  }, [queryClient, client]);
  return isFollowing;
}

/**
 * Retries failed reads immediately when the person or the network returns. Without a change feed, also reloads the list when the person
 * opens it again. Returns a function that retries failed reads.
 */
function useRetryFailedReads(isUnavailable: boolean, isFollowing: boolean): () => void {
  const queryClient = useQueryClient();
  const retryNow = useCallback(() => void retryFailedReads(queryClient), [queryClient]);
  useEffect(() => {
    if (!isUnavailable) return;
    const control = new AbortController();
    for (const event of ['online', 'focus']) window.addEventListener(event, retryNow, control);
    return () => control.abort();
  }, [isUnavailable, retryNow]);
  useEffect(
    () => (isFollowing ? undefined : onStay(() => resetLists(queryClient))),
    [isFollowing, queryClient],
  );
  return retryNow;
}
