import { useId } from 'react';
import './line-list.css';
import { formatCount } from '../format-count.js';
import { type Filter, type List, listLength } from '../protocol.js';

interface LineListProps {
  readonly list: List;
  /** How many lines have a problem. */
  readonly faulty: number;
  /** Whether the lines are being checked, so that none can be listed. */
  readonly busy?: boolean;
  onList(filter: Filter, offset: number): void;
}

/** The lines of the file in pages, all of them or those with a problem. */
export function LineList({ list, faulty, busy = false, onList }: LineListProps) {
  const caption = useId();
  const { filter, offset, total, rows } = list;
  const last = offset + rows.length;
  return (
    <div className="import-list">
      {faulty > 0 && (
        <label className="import-check">
          <input
            type="checkbox"
            checked={filter === 'faulty'}
            aria-disabled={busy}
            onChange={({ target }) => !busy && onList(target.checked ? 'faulty' : 'all', 0)}
          />
          Only faulty lines
        </label>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="import-scroll" tabIndex={0} aria-labelledby={caption}>
        <table>
          <caption id={caption}>
            {filter === 'faulty' ? 'Faulty lines' : 'Lines'} {formatCount(Math.min(offset + 1, last))} to{' '}
            {formatCount(last)} of {formatCount(total)}
          </caption>
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col">Id</th>
              <th scope="col">Name</th>
              <th scope="col">Tag</th>
              <th scope="col">Problem</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ line, id, name, tag, problem }) => (
              <tr key={line} className={problem === undefined ? undefined : 'import-faulty'}>
                <th scope="row">{line}</th>
                <td>{id}</td>
                <td>{name}</td>
                <td>{tag}</td>
                <td>{problem}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {total > listLength && (
        <p className="import-actions">
          <PageButton disabled={busy || offset === 0} onClick={() => onList(filter, offset - listLength)}>
            Previous lines
          </PageButton>
          <PageButton disabled={busy || last >= total} onClick={() => onList(filter, offset + listLength)}>
            Next lines
          </PageButton>
        </p>
      )}
    </div>
  );
}

/** Stays focusable where it does nothing, so that the focus is not lost on the last page. */
function PageButton(props: { readonly disabled: boolean; readonly children: string; onClick(): void }) {
  const { disabled, children, onClick } = props;
  return (
    <button type="button" aria-disabled={disabled} onClick={() => !disabled && onClick()}>
      {children}
    </button>
  );
}
