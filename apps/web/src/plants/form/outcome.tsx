import { useEffect, useState } from 'react';

interface OutcomeProps {
  readonly pending: boolean;
  /** The number of the attempt in flight. */
  readonly attempt: number;
  /** The confirmation that the service has the plant. */
  readonly done?: string;
  /** Whether the confirmation is shown elsewhere, so that it is only announced here. */
  readonly isDoneListed?: boolean;
  readonly problem: string | undefined;
}

/** Shows the progress or the result of sending a plant. Both are announced. */
export function Outcome({ pending, attempt, done, isDoneListed = false, problem }: OutcomeProps) {
  const slow = useSlow(pending, 2_000);
  return (
    <div className="outcome">
      <p role="status" className="message">
        {slow ? (
          <span>{waiting(attempt)}</span>
        ) : (
          <span className={isDoneListed ? 'visually-hidden' : undefined}>{done}</span>
        )}
      </p>
      <p role="alert" className="message problem">
        {problem}
      </p>
    </div>
  );
}

function waiting(attempt: number): string {
  return attempt > 1 ? `Still trying to save the plant. Attempt ${attempt}…` : 'Waiting for the server…';
}

/** Whether an activity has lasted longer than a time, in milliseconds. */
function useSlow(active: boolean, ms: number): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!active) return;
    const timer = setTimeout(() => setSlow(true), ms);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [active, ms]);
  return slow;
}
