import { createClient } from '@plant-store/client';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { checkToken } from '../shared/check-token.js';
import { Field } from '../shared/field.js';
import { serviceUrl } from '../shared/plant-store.js';
import { readToken } from './read-token.js';
import { RememberBox } from './remember-box.js';
import { SignInButton } from './sign-in-button.js';
import { readSignInSettings } from './sign-in-settings.js';
import type { StorageArea } from './stored-token.js';
import './token-panel.css';

interface TokenPanelProps {
  /** Why a token has to be entered. */
  readonly reason: string | undefined;
  /** Whether to move the focus here. `false` when the page opens. */
  readonly takeFocus: boolean;
  /** Where the previous token was stored. */
  readonly area: StorageArea;
  /** Whether the page has unsaved work. */
  readonly hasWork: boolean;
  /** Called with a token that the service does not reject, and where to store it. */
  onToken(token: string, area: StorageArea): void;
}

/** Asks for an access token. Before the page uses it, checks its format, and whether the service rejects it. */
export function TokenPanel({ reason, takeFocus, area: initialArea, hasWork, onToken }: TokenPanelProps) {
  const signIn = readSignInSettings();
  const [area, setArea] = useState(initialArea);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState(reason);
  const [shown, setShown] = useState(false);
  const [checking, setChecking] = useState<AbortController>();
  useEffect(() => () => checking?.abort(), [checking]);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takeFocus) input.current?.focus();
  }, [takeFocus]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (checking !== undefined) return;
    const read = readToken(text);
    let found = read.problem;
    if (read.token !== undefined) {
      const control = new AbortController();
      setChecking(control);
      const client = createClient({ baseUrl: serviceUrl, token: read.token });
      found = await checkToken(client, control.signal);
      if (control.signal.aborted) return;
      setChecking(undefined);
      if (found === undefined) return onToken(read.token, area);
    }
    setProblem(found);
    input.current?.focus();
  };
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="stack token-panel">
      <h2>Your access token</h2>
      {signIn && <SignInButton settings={signIn} area={area} isInNewTab={hasWork} />}
      <p>
        <span>
          {signIn
            ? 'Or use a token from your administrator.'
            : 'To see and add plants, you need a token. Ask your administrator.'}
        </span>{' '}
        <span>
          The token is sent only to this store and kept only in this tab unless you choose otherwise.
        </span>
      </p>
      <Field
        label="Access token"
        hint="Starts with pst_, or is a JSON Web Token from your organization."
        problem={problem}
        ref={input}
        type={shown ? 'text' : 'password'}
        name="access-token"
        enterKeyHint="go"
        aria-required
        // Password managers must not store it.
        data-1p-ignore
        data-lpignore="true"
        data-bwignore
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setProblem(undefined);
          setChecking(undefined);
        }}
      >
        <button type="button" className="quiet" aria-pressed={shown} onClick={() => setShown(!shown)}>
          Show token
        </button>
      </Field>
      <RememberBox area={area} onChange={setArea} />
      <div className="submit-row">
        <button
          type="submit"
          className={signIn ? undefined : 'primary'}
          aria-disabled={checking !== undefined}
          data-busy={checking !== undefined || undefined}
        >
          Use token
        </button>
      </div>
    </form>
  );
}
