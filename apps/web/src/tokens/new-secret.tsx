import type { IssuedToken } from '@plant-store/client';
import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { CopyButton } from '../plants/copy-button.js';
import { LoadBoundary, loadPart } from '../shared/load-boundary.js';
import { serviceUrl } from '../shared/plant-store.js';

const QrCode = lazy(async () => {
  const { QrCode } = await loadPart(() => import('../shared/qr-code.js'));
  return { default: QrCode };
});

/** The text of a new token, which nobody can show again, and how to get it to where it is used. */
export function NewSecret({
  issued: { name, secret },
  onDone,
}: {
  readonly issued: IssuedToken;
  onDone(): void;
}) {
  const [isShown, setShown] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="stack new-token">
      <h3 ref={heading} tabIndex={-1}>
        <span>New token: </span>
        <bdi translate="no">{escapeInvisible(name)}</bdi>
      </h3>
      <p>
        It is shown until you press <strong>I have kept it</strong>, or this page goes, and never again.
        Whoever has it can use it.
      </p>
      <p>
        <code translate="no">{secret}</code> <CopyButton text={secret} label="Copy the token" />
      </p>
      <div className="submit-row">
        <button type="button" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? <span key="hide">Hide QR code</span> : <span key="show">Show QR code</span>}
        </button>
        <button type="button" onClick={onDone}>
          I have kept it
        </button>
      </div>
      {isShown && (
        <LoadBoundary>
          <Suspense fallback={<p className="loading">Loading…</p>}>
            <QrCode
              address={`${serviceUrl}/#token=${secret}`}
              label="QR code that opens the page with the new token"
            />
          </Suspense>
        </LoadBoundary>
      )}
    </section>
  );
}
