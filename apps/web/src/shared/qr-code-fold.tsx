import { type ComponentProps, type ReactNode, useState } from 'react';
import { lazyPart } from './load-boundary.js';

const QrCode = lazyPart(
  async () => (await import('./qr-code.js')).QrCode,
  <p className="loading">Loading…</p>,
);

interface QrCodeFoldProps extends ComponentProps<typeof QrCode> {
  /** More buttons, next to the button that shows and hides the code. */
  readonly children?: ReactNode;
}

/** A QR code that is hidden at first, because it can contain a token. */
export function QrCodeFold({ children, ...code }: QrCodeFoldProps) {
  const [isShown, setShown] = useState(false);
  return (
    <>
      <div className="submit-row">
        <button type="button" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          <span key={`${isShown}`}>{isShown ? 'Hide QR code' : 'Show QR code'}</span>
        </button>
        {children}
      </div>
      {isShown && <QrCode {...code} />}
    </>
  );
}
