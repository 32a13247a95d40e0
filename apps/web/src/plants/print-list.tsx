import { useEffect, useState } from 'react';
import { createPortal, flushSync } from 'react-dom';
import { orderTitles, type PlantFilter } from '../route.js';
import { labels, textNames } from '../shared/fields.js';
import { toVisible } from '../shared/to-visible.js';
import type { PlantRows } from './plant-pages.js';
import { PlantText } from './plant-text.js';
import './print-list.css';

/** How many plants are printed. */
const maxPrinted = 2_000;

interface PrintListProps {
  readonly rows: PlantRows;
  /** Whether these are all plants that match, and whether more can be loaded now. */
  readonly isComplete: boolean;
  readonly canLoad: boolean;
  readonly filter: PlantFilter;
  /** Whether the person has asked to print. */
  readonly isAsked: boolean;
  /** Called to load more plants before they are printed; it does nothing while that is in progress. */
  onLoadMore(): void;
  /** Called before the dialog of the browser opens. */
  onPrint(): void;
}

/** The list on paper, where the page itself shows only the rows near the visible ones. It is there while the browser prints. */
export function PrintList({
  rows,
  isComplete,
  canLoad,
  filter,
  isAsked,
  onLoadMore,
  onPrint,
}: PrintListProps) {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    // The browser takes what is there when the event ends.
    const begin = () => flushSync(() => setPrinting(true));
    const end = () => setPrinting(false);
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
  const isLoaded = isComplete || !canLoad || rows.count >= maxPrinted;
  useEffect(() => {
    if (!isAsked) return;
    if (!isLoaded) return onLoadMore();
    onPrint();
    // Not in the effect, in which React renders nothing at once.
    setTimeout(() => window.print());
  });
  if (!isPrinting) return null;
  const count = Math.min(rows.count, maxPrinted);
  const isAll = isComplete && count === rows.count;
  const number = `${count.toLocaleString()} ${count === 1 ? 'plant' : 'plants'}`;
  const now = new Date();
  return createPortal(
    <section className="print-list">
      <header>
        <h1 translate="no">{titleOf(filter)}</h1>
        <p>{`${number}. ${orderTitles[filter.order]}.`}</p>
        <p>{now.toLocaleString(undefined, { dateStyle: 'long', timeStyle: 'short' })}</p>
      </header>
      {!isAll && (
        <p className="print-note">{`These are the first ${number}. More follow in the list. Search or filter it to print the others.`}</p>
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">Seen</th>
            {textNames.map((name) => (
              <th key={name} scope="col">
                {labels[name]}
              </th>
            ))}
            <th scope="col">Id</th>
            <th scope="col">Added</th>
            <th scope="col" className="print-remark">
              Note
            </th>
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: count }, (_, index) => {
            const plant = rows.at(index);
            return (
              plant && (
                <tr key={`${plant.id}`}>
                  <td>
                    <span className="print-box" />
                  </td>
                  {textNames.map((name) => (
                    <td key={name} className={`print-${name}`} dir="auto">
                      <PlantText plant={plant} name={name} maxLength={longestPrinted} />
                    </td>
                  ))}
                  <td className="print-id" translate="no">{`${plant.id}`}</td>
                  <td className="print-added">
                    {plant.addedAt !== undefined && date.format(new Date(plant.addedAt))}
                  </td>
                  <td />
                </tr>
              )
            );
          })}
        </tbody>
      </table>
    </section>,
    document.body,
  );
}

/** The longest text that is printed whole, in characters: longer ones are no names. */
const longestPrinted = 1_000;

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

function titleOf({ q, tag, without }: PlantFilter): string {
  const named = q === undefined ? undefined : `“${toVisible(q, 60)}”`;
  if (tag === undefined && without === undefined)
    return named === undefined ? 'All plants' : `Plants with ${named}`;
  const tagged = tag === undefined || tag === '' ? 'Plants without a tag' : toVisible(tag, 60);
  return named === undefined ? tagged : `${tagged}: ${named}`;
}
