import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Field } from '../shared/field.js';
import { readToken } from './read-token.js';

interface TokenPanelProps {
  /** Why a token has to be entered. */
  readonly reason: string | undefined;
  /** Whether to move the focus here: not when the page opens. */
  readonly takeFocus: boolean;
  /** Called with a token that may be sent. */
  onToken(token: string): void;
}

/** Asks for the access token, and checks it before it is used. */
export function TokenPanel({ reason, takeFocus, onToken }: TokenPanelProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState(reason);
  const [shown, setShown] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takeFocus) input.current?.focus();
  }, [takeFocus]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readToken(text);
    if (read.token !== undefined) return onToken(read.token);
    setProblem(read.problem);
    input.current?.focus();
  };
  return (
    <form noValidate onSubmit={submit} className="stack token-panel">
      <h2>Your access token</h2>
      <p>
        To add plants you need a token of this store. Its operator issues them. It is kept in this tab alone,
        and sent to nobody but the store.
      </p>
      <Field
        label="Access token"
        hint="It begins with pst_, or is a JSON Web Token of your organization."
        problem={problem}
        ref={input}
        type={shown ? 'text' : 'password'}
        name="access-token"
        autoCapitalize="none"
        aria-required
        // Password managers would keep it beyond the tab.
        data-1p-ignore
        data-lpignore="true"
        data-bwignore
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setProblem(undefined);
        }}
      >
        <button type="button" className="quiet" aria-pressed={shown} onClick={() => setShown(!shown)}>
          Show token
        </button>
      </Field>
      <div className="submit-row">
        <button type="submit" className="primary">
          Use token
        </button>
      </div>
    </form>
  );
}
