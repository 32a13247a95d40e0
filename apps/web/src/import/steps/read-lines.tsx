import type { ImportSession } from '../session/import-session.js';
import type { ImportState } from '../session/import-state.js';
import { StepHeading } from './step-heading.js';

const titles = {
  read: 'Reading the lines',
  check: 'Checking the plants',
  compare: 'Comparing with what is stored',
} as const;

/** Shows how far reading and checking a file is. */
export function ReadLines({
  session,
  state,
}: {
  readonly session: ImportSession;
  readonly state: ImportState;
}) {
  const { step, fraction } = state.busy ?? { step: 'read', fraction: 0 };
  const title = titles[step];
  return (
    <div className="import-step">
      <StepHeading>{title}</StepHeading>
      <progress className="import-progress" value={fraction} max={1} aria-label={title} />
      <p>
        <button type="button" onClick={() => session.reset()}>
          Cancel
        </button>
      </p>
    </div>
  );
}
