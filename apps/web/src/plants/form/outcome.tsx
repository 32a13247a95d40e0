import { useEffect, useState } from 'react';

interface OutcomeProps {
  readonly isPending: boolean;
  /** The number of the attempt in flight. */
  readonly attempt: number;
  /** The confirmation that the service has the plant. */
  readonly done?: string;
  /** Whether the confirmation is shown elsewhere, so that it is only announced here. */
  readonly isDoneListed?: boolean;
  readonly problem: string | undefined;
}

/** How long a request takes before its progress is shown. */
const slowAfterMs = 2_000;

/** Shows the progress or the result of sending a plant. Screen readers announce both. */
export function Outcome({ isPending, attempt, done, isDoneListed = false, problem }: OutcomeProps) {
  const isSlow = useIsSlow(isPending, slowAfterMs);
  return (
    <div className="outcome">
      <p role="status" className="message">
        {isSlow ? (
          <span>{describeWait(attempt)}</span>
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

function describeWait(attempt: number): string {
  return attempt > 1 ? `Still trying to save the plant. Attempt ${attempt}…` : 'Waiting for the server…';
}

/** Whether `isActive` has been true for longer than `ms`. */
function useIsSlow(isActive: boolean, ms: number): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isActive) return;
    const timer = setTimeout(() => setSlow(true), ms);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [isActive, ms]);
  return isSlow;
}
