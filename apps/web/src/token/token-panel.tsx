import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Field } from '../shared/field.js';
import { checkToken } from './check-token.js';
import { readToken } from './read-token.js';

interface TokenPanelProps {
  /** Why a token has to be entered. */
  readonly reason: string | undefined;
  /** Whether to move the focus here: not when the page opens. */
  readonly takeFocus: boolean;
  /** Called with a token that the service does not reject. */
  onToken(token: string): void;
}

/** Asks for the access token, and checks it, also at the service, before it is used. */
export function TokenPanel({ reason, takeFocus, onToken }: TokenPanelProps) {
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
      found = await checkToken(read.token, control.signal);
      if (control.signal.aborted) return;
      setCheck(undefined);
      if (found === undefined) return onToken(read.token);
    }
    setProblem(found);
    input.current?.focus();
  };
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="stack token-panel">
      <h2>Your access token</h2>
      <p>
        To see and add plants you need a token of this store. Its operator issues them. It is kept in this tab
        alone, and sent to nobody but the store.
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
          setCheck(undefined);
        }}
      >
        <button type="button" className="quiet" aria-pressed={shown} onClick={() => setShown(!shown)}>
          Show token
        </button>
      </Field>
      <div className="submit-row">
        <button
          type="submit"
          className="primary"
          aria-disabled={check !== undefined}
          data-busy={check !== undefined || undefined}
        >
          Use token
        </button>
      </div>
    </form>
  );
}
