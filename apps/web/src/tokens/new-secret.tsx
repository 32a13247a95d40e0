import type { IssuedToken } from '@plant-store/client';
import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import { useEffect, useRef } from 'react';
import { CopyButton } from '../plants/copy-button.js';
import { serviceUrl } from '../shared/plant-store.js';
import { QrCodeFold } from '../shared/qr-code-fold.js';

/** Shows the secret of a new token, which cannot be shown again, with ways to transfer it. */
export function NewSecret(props: { readonly issued: IssuedToken; onDone(): void }) {
  const { name, secret } = props.issued;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="stack new-token">
      <h3 ref={heading} tabIndex={-1}>
        <span>New token: </span>
        <bdi translate="no">{escapeInvisible(name)}</bdi>
      </h3>
      <p>
        Copy it now: it disappears when you press <strong>I saved it</strong> or close this page. Anyone who
        has it can use it.
      </p>
      <p>
        <code translate="no">{secret}</code> <CopyButton text={secret} label="Copy the token" />
      </p>
      <QrCodeFold
        address={`${serviceUrl}/#token=${secret}`}
        label="QR code that opens the page with the new token"
      >
        <button type="button" onClick={props.onDone}>
          I saved it
        </button>
      </QrCodeFold>
    </section>
  );
}
