import type { ManySession } from '../session/many-session.js';
import type { ManyState } from '../session/many-state.js';
import { StepHeading } from './step-heading.js';

/** Shows how far reading and checking a file is. */
export function ReadingPlants({
  session,
  state,
}: {
  readonly session: ManySession;
  readonly state: ManyState;
}) {
  const { step, fraction } = state.busy ?? { step: 'read', fraction: 0 };
  const title = step === 'read' ? 'Reading the lines' : 'Checking the plants';
  return (
    <div className="many-step">
      <StepHeading>{title}</StepHeading>
      <progress className="many-progress" value={fraction} max={1} aria-label={title} />
      <p>
        <button type="button" onClick={() => session.reset()}>
          Cancel
        </button>
      </p>
    </div>
  );
}
