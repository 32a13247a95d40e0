import { type FormEvent, useState } from 'react';

/** Asks for the access token. */
export function TokenPanel({ onToken }: { onToken(token: string): void }) {
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onToken(text.trim());
  };
  return (
    <form onSubmit={submit}>
      <label>
        Access token
        <input value={text} onChange={(event) => setText(event.target.value)} autoComplete="off" />
      </label>
      <button type="submit">Use token</button>
    </form>
  );
}
