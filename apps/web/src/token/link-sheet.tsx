import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import { useEffect, useRef } from 'react';
import { Sheet } from '../shared/sheet.js';
import { useOwnToken } from '../shared/use-scopes.js';

interface LinkSheetProps {
  /** Called with whether the link's token replaces the current one. Closing the sheet keeps the current one. */
  onAnswer(isAccepted: boolean): void;
}

/**
 * Asks whether the token of a link replaces the current one. Without this question, the sender of a link could make others store plants
 * with a token that the sender chose.
 */
export function LinkSheet({ onAnswer }: LinkSheetProps) {
  const ownToken = useOwnToken();
  const who = ownToken?.name ?? ownToken?.subject;
  const stayButton = useRef<HTMLButtonElement>(null);
  useEffect(() => stayButton.current?.focus(), []);
  return (
    <Sheet title="Use the access token from this link?" isOpen onClose={() => onAnswer(false)}>
      <div className="stack">
        <p>
          {who === undefined ? (
            <span key="unknown">You are already signed in.</span>
          ) : (
            <span key="known">
              <span>You are signed in as </span>
              <bdi translate="no">
                <strong>{escapeInvisible(who)}</strong>
              </bdi>
              .
            </span>
          )}{' '}
          <span>If you use the token from the link, your changes are recorded under that token.</span>{' '}
          <span>Use it only if you trust the person who sent the link.</span>
        </p>
        <div className="submit-row">
          <button ref={stayButton} type="button" className="primary" onClick={() => onAnswer(false)}>
            Stay signed in
          </button>
          <button type="button" onClick={() => onAnswer(true)}>
            Use the token from the link
          </button>
        </div>
      </div>
    </Sheet>
  );
}
