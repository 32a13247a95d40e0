import type { StoredPlant } from '@plant-store/contract/operations';
import { type ReactNode, useEffect, useState } from 'react';
import { createPortal, flushSync } from 'react-dom';
import { orderTitles, type PlantFilter, titleOf } from '../route.js';
import { labels, textNames } from '../shared/fields.js';
import type { Column } from './columns.js';
import type { LabelFormat } from './labels.js';
import type { PlantRows } from './plant-pages.js';
import { PlantText } from './plant-text.js';
import { TagDot } from './tag.js';
import './print.css';

/** The maximum number of plants that are printed. */
const maxPrinted = 2_000;

/** A request to print the list, or labels of all or some of its plants. */
export type PrintRequest =
  | { readonly what: 'list' }
  | { readonly what: 'labels'; readonly format: LabelFormat; readonly plants?: readonly StoredPlant[] };

interface PrintProps {
  readonly rows: PlantRows;
  /** Whether these are all matching plants. */
  readonly isComplete: boolean;
  /** Whether more can be loaded now. */
  readonly canLoad: boolean;
  readonly filter: PlantFilter;
  readonly columns: readonly Column[];
  readonly request: PrintRequest | undefined;
  /** Called to load more plants before printing. Does nothing while that is in progress. */
  onLoadMore(): void;
  /** Called before the browser's print dialog opens. */
  onPrint(): void;
}

/**
 * Renders what is printed while the browser prints, because the page only renders rows near the visible ones. Printing from the browser's
 * menu prints the list.
 */
export function Print({
  rows,
  isComplete,
  canLoad,
  filter,
  columns,
  request,
  onLoadMore,
  onPrint,
}: PrintProps) {
  const [printed, setPrinted] = useState<ReactNode>();
  const count = Math.min(rows.count, maxPrinted);
  const plants = () =>
    Array.from({ length: count }, (_, index) => rows.at(index)).filter((plant) => plant !== undefined);
  const isAll = isComplete && count === rows.count;
  const list = () => <List plants={plants()} isAll={isAll} filter={filter} columns={columns} />;
  useEffect(() => {
    // Synchronous, because the browser prints the document as it is after the event.
    const onBeforePrint = () => flushSync(() => setPrinted((current) => current ?? list()));
    const onAfterPrint = () => setPrinted(undefined);
    window.addEventListener('beforeprint', onBeforePrint);
    window.addEventListener('afterprint', onAfterPrint);
    return () => {
      window.removeEventListener('beforeprint', onBeforePrint);
      window.removeEventListener('afterprint', onAfterPrint);
    };
  });
  const printsRows = request !== undefined && !('plants' in request);
  const isLoaded = !printsRows || isComplete || !canLoad || rows.count >= maxPrinted;
  useEffect(() => {
    if (request === undefined) return;
    if (!isLoaded) return onLoadMore();
    onPrint();
    void show(request);
  });
  const show = async (printRequest: PrintRequest) => {
    if (printRequest.what === 'labels') {
      const { Labels } = await import('./labels.js');
      const chosen = printRequest.plants ?? plants();
      flushSync(() =>
        setPrinted(
          <Labels
            plants={chosen}
            format={printRequest.format}
            isAll={printRequest.plants !== undefined || isAll}
          />,
        ),
      );
    }
    // Deferred, because React cannot render synchronously within an effect.
    setTimeout(() => window.print());
  };
  return printed !== undefined && createPortal(<div className="printed">{printed}</div>, document.body);
}

interface ListProps extends Pick<PrintProps, 'filter' | 'columns'> {
  readonly plants: readonly StoredPlant[];
  readonly isAll: boolean;
}

/** The printed list: the page's columns, a box to check, and room for a note. */
function List({ plants, isAll, filter, columns }: ListProps) {
  const number = `${plants.length.toLocaleString()} ${plants.length === 1 ? 'plant' : 'plants'}`;
  return (
    <section className="print-list">
      <header>
        <h1 translate="no">{titleOf(filter)}</h1>
        <p>{`${number}. ${orderTitles[filter.order]}.`}</p>
        <p>{new Date().toLocaleString(undefined, { dateStyle: 'long', timeStyle: 'short' })}</p>
      </header>
      {!isAll && (
        <p className="print-note">{`Only the first ${number} are printed. To print others, search or filter the list.`}</p>
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">Seen</th>
            {columns.map(({ name, title }) => (
              <th key={name} scope="col">
                {title}
              </th>
            ))}
            <th scope="col" className="print-remark">
              Note
            </th>
          </tr>
        </thead>
        <tbody>
          {plants.map((plant) => (
            <tr key={`${plant.id}`}>
              <td>
                <span className="print-box" />
              </td>
              {columns.map(({ name }) => (
                <td
                  key={name}
                  className={`print-${name}`}
                  dir={name in labels && name !== 'id' ? 'auto' : undefined}
                >
                  <PrintedCell plant={plant} name={name} />
                </td>
              ))}
              <td />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function PrintedCell({ plant, name }: { readonly plant: StoredPlant; readonly name: string }) {
  const field = textNames.find((each) => each === name);
  if (name === 'id') return <span translate="no">{`${plant.id}`}</span>;
  if (field === undefined) return plant.addedAt !== undefined && dateFormat.format(new Date(plant.addedAt));
  return (
    <span className={field === 'tag' ? 'print-tagged' : undefined}>
      {field === 'tag' && plant.tag?.trim() && <TagDot tag={plant.tag} />}
      <PlantText plant={plant} name={field} maxLength={maxTextLength} />
    </span>
  );
}

/** The maximum length of a printed text, in characters. */
const maxTextLength = 1_000;

const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
