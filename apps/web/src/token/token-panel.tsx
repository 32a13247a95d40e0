import { createClient } from '@plant-store/client';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { checkToken } from '../shared/check-token.js';
import { Field } from '../shared/field.js';
import { serviceUrl } from '../shared/plant-store.js';
import type { Place } from './kept-token.js';
import { readToken } from './read-token.js';
import { RememberBox } from './remember-box.js';
import { SignInButton } from './sign-in-button.js';
import { readSignInSettings } from './sign-in-settings.js';
import './token-panel.css';

interface TokenPanelProps {
  /** Why a token has to be entered. */
  readonly reason: string | undefined;
  /** Whether to move the focus here. Not when the page opens. */
  readonly takeFocus: boolean;
  /** Where the previous token was kept. */
  readonly place: Place;
  /** Whether the page has unsaved work. */
  readonly hasWork: boolean;
  /** Called with a token that the service does not reject, and where to keep it. */
  onToken(token: string, place: Place): void;
}

/** Asks for the access token, and checks it, also with the service, before it is used. */
export function TokenPanel({ reason, takeFocus, place: placeBefore, hasWork, onToken }: TokenPanelProps) {
  const signIn = readSignInSettings();
  const [place, setPlace] = useState(placeBefore);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState(reason);
  const [shown, setShown] = useState(false);
  const [check, setCheck] = useState<AbortController>();
  useEffect(() => () => check?.abort(), [check]);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takeFocus) input.current?.focus();
  }, [takeFocus]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (check !== undefined) return;
    const read = readToken(text);
    let found = read.problem;
    if (read.token !== undefined) {
      const control = new AbortController();
      setCheck(control);
      const client = createClient({ baseUrl: serviceUrl, token: read.token });
      found = await checkToken(client, control.signal);
      if (control.signal.aborted) return;
      setCheck(undefined);
      if (found === undefined) return onToken(read.token, place);
    }
    setProblem(found);
    input.current?.focus();
  };
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="stack token-panel">
      <h2>Your access token</h2>
      {signIn && <SignInButton settings={signIn} place={place} isInNewTab={hasWork} />}
      <p>
        <span>
          {signIn
            ? 'Or use a token from your administrator.'
            : 'To see and add plants, you need a token. Ask your administrator.'}
        </span>{' '}
        <span>It is sent only to this store, and kept only in this tab unless you choose otherwise.</span>
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
        // Password managers would store it beyond the tab.
        data-1p-ignore
        data-lpignore="true"
        data-bwignore
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setProblem(undefined);
          setCheck(undefined);
        }}
      >
        <button type="button" className="quiet" aria-pressed={shown} onClick={() => setShown(!shown)}>
          Show token
        </button>
      </Field>
      <RememberBox place={place} onChange={setPlace} />
      <div className="submit-row">
        <button
          type="submit"
          className={signIn ? undefined : 'primary'}
          aria-disabled={check !== undefined}
          data-busy={check !== undefined || undefined}
        >
          Use token
        </button>
      </div>
    </form>
  );
}
