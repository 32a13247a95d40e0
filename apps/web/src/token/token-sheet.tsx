import { lazy, Suspense, useState } from 'react';
import { LoadBoundary, loadPart } from '../shared/load-boundary.js';
import { serviceUrl } from '../shared/plant-store.js';
import { Sheet } from '../shared/sheet.js';
import type { KeptToken, Place } from './kept-token.js';
import { RememberBox } from './remember-box.js';

const QrCode = lazy(async () => {
  const { QrCode } = await loadPart(() => import('./qr-code.js'));
  return { default: QrCode };
});

interface TokenSheetProps {
  readonly isOpen: boolean;
  readonly kept: KeptToken;
  readonly place: Place;
  keepIn(place: Place): void;
  onClose(): void;
}

/** Where the token is kept, and how to use it on a phone. */
export function TokenSheet({ isOpen, kept, place, keepIn, onClose }: TokenSheetProps) {
  const [isShown, setShown] = useState(false);
  const close = () => {
    setShown(false);
    onClose();
  };
  // Each device signs in by itself.
  const address = kept.signIn ? `${serviceUrl}/` : `${serviceUrl}/#token=${kept.token}`;
  return (
    <Sheet title="Your access" isOpen={isOpen} onClose={close}>
      <div className="stack">
        <RememberBox place={place} onChange={keepIn} />
        <h3>Open on a phone</h3>
        <p>
          {kept.signIn
            ? 'The camera of the phone opens the page, where you sign in.'
            : 'The camera of the phone opens the page with this token. Whoever sees the code can use the token, too.'}
        </p>
        {isLocal && (
          <p>The address of this page leads nowhere on another device. Open it at one that does.</p>
        )}
        <div className="submit-row">
          <button type="button" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? 'Hide QR code' : 'Show QR code'}
          </button>
        </div>
        {isShown && (
          <LoadBoundary>
            <Suspense fallback={<p className="loading">Loading…</p>}>
              <QrCode address={address} label="QR code that opens the page" />
            </Suspense>
          </LoadBoundary>
        )}
      </div>
    </Sheet>
  );
}

const isLocal = /^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname);
