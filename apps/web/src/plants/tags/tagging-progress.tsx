import { toVisible } from '../../shared/to-visible.js';
import './tags.css';
import type { Progress } from './use-tagging.js';

interface TaggingProgressProps {
  readonly progress: Progress | undefined;
  /** The number of plants to edit, as far as known. */
  readonly total: number;
}

/** The maximum number of listed plants. */
const maxListed = 100;

/** Shows the progress of editing many plants, and the plants that were not edited. */
export function TaggingProgress({ progress, total }: TaggingProgressProps) {
  const { state, done = 0, failed = [], problem } = progress ?? {};
  return (
    <div className="stack">
      {state === 'running' && (
        <progress aria-label="Plants processed" max={total} value={done + failed.length} />
      )}
      <p role="status">
        {state !== undefined && (
          <span>
            {`${done.toLocaleString()} of ${total.toLocaleString()} done${state === 'stopped' && done < total ? '; the rest are unchanged.' : '.'}`}
          </span>
        )}
      </p>
      <p role="alert" className="message problem">
        {problem !== undefined && <span>{problem}</span>}
      </p>
      {failed.length > 0 && (
        <>
          <p className="problem">
            <span>{`${failed.length.toLocaleString()} not changed:`}</span>
          </p>
          <ul className="not-tagged">
            {failed.slice(0, maxListed).map(({ plant: { id, name }, reason }) => (
              <li key={`${id}`}>
                <strong dir="auto" translate="no">
                  {toVisible(name) || '(no name)'}
                </strong>
                <span>, ID </span>
                <code translate="no">{`${id}`}</code>
                <span>{`: ${reason}`}</span>
              </li>
            ))}
          </ul>
          {failed.length > maxListed && (
            <p className="note">{`Only the first ${maxListed} plants are listed.`}</p>
          )}
        </>
      )}
    </div>
  );
}
