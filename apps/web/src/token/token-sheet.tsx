import { basePath } from '../route.js';
import { serviceUrl } from '../shared/plant-store.js';
import { QrCodeFold } from '../shared/qr-code-fold.js';
import { Sheet } from '../shared/sheet.js';
import { RememberBox } from './remember-box.js';
import type { StorageArea, StoredToken } from './stored-token.js';

interface TokenSheetProps {
  readonly isOpen: boolean;
  readonly stored: StoredToken;
  readonly area: StorageArea;
  keepIn(area: StorageArea): void;
  /** Called to show all tokens. `undefined` if the token does not permit managing them. */
  readonly onTokens: (() => void) | undefined;
  onForget(): void;
  onClose(): void;
}

/** Shows where the token is stored, how to use it on a phone, and links for developers and administrators. */
export function TokenSheet({ isOpen, stored, area, keepIn, onTokens, onForget, onClose }: TokenSheetProps) {
  // Each device needs a separate sign-in.
  const address = stored.signIn ? `${serviceUrl}/` : `${serviceUrl}/#token=${stored.token}`;
  return (
    <Sheet title="Your access" isOpen={isOpen} onClose={onClose}>
      <div className="stack">
        <RememberBox area={area} onChange={keepIn} />
        <h3>Open on a phone</h3>
        <p>
          {stored.signIn
            ? 'Scan the code with your phone, then sign in.'
            : 'Scan the code to open the page with this token. Anyone who sees the code can use the token.'}
        </p>
        {isLocal && <p>This address works only on this computer.</p>}
        <QrCodeFold key={`${isOpen}`} address={address} label="QR code that opens the page" />
        <h3>More</h3>
        <div className="submit-row">
          {onTokens !== undefined && (
            <button type="button" onClick={onTokens}>
              Manage tokens
            </button>
          )}
          <a className="button" href={`${basePath}docs`}>
            API for developers
          </a>
          <button type="button" className="danger" onClick={onForget}>
            Sign out
          </button>
        </div>
      </div>
    </Sheet>
  );
}

const isLocal = /^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname);
