import type { NewToken, OwnToken } from '@plant-store/client';
import type { Scope } from '@plant-store/contract/access-token';
import { type FormEvent, useId, useState } from 'react';
import { formatTime } from '../plants/format-time.js';
import { Field } from '../shared/field.js';
import { scopeVerbs } from '../shared/use-scopes.js';

interface TokenFormProps {
  readonly ownToken: OwnToken;
  readonly isBusy: boolean;
  /** @returns whether the token was created */
  onSubmit(token: NewToken): Promise<boolean>;
}

const empty = { name: '', scopes: [] as readonly Scope[], day: '', rate: '' };

/** A form for a new token, which can only have scopes of the page's token. */
export function TokenForm({ ownToken, isBusy, onSubmit }: TokenFormProps) {
  const id = useId();
  const [{ name, scopes, day, rate }, setDraft] = useState(empty);
  const set = (part: Partial<typeof empty>) => setDraft((draft) => ({ ...draft, ...part }));
  const isComplete = name.trim() !== '' && scopes.length > 0;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || !isComplete) return;
    const isCreated = await onSubmit({
      name,
      scopes: ownToken.scopes.filter((scope) => scopes.includes(scope)),
      ...(day !== '' && { expiresAt: new Date(`${day}T23:59:59`).toISOString() }),
      ...(rate !== '' && { ratePerMinute: Number(rate) }),
    });
    if (isCreated) setDraft(empty);
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <Field
        label="Token name"
        name="token-name"
        hint="The person or program that uses the token."
        value={name}
        onChange={({ target }) => set({ name: target.value })}
      />
      <fieldset className="token-scopes">
        <legend>Permissions</legend>
        {ownToken.scopes.map((scope) => (
          <div key={scope} className="choice">
            <input
              id={`${id}-${scope}`}
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={({ target }) =>
                set({
                  scopes: target.checked ? [...scopes, scope] : scopes.filter((other) => other !== scope),
                })
              }
            />
            <label htmlFor={`${id}-${scope}`}>{labelScope(scope)}</label>
          </div>
        ))}
      </fieldset>
      <Field
        label="Expiration date"
        name="token-day"
        type="date"
        max="9999-12-31"
        hint={
          ownToken.expiresAt === undefined
            ? 'Leave empty for a token that never expires.'
            : `Defaults to ${formatTime(ownToken.expiresAt)}, when your token expires. You cannot choose a later time.`
        }
        value={day}
        onChange={({ target }) => set({ day: target.value })}
      />
      <Field
        label="Requests per minute"
        name="token-rate"
        type="number"
        min={1}
        max={ownToken.ratePerMinute}
        hint={
          ownToken.ratePerMinute === undefined
            ? 'Leave empty to use the default limit.'
            : `Default and maximum: ${ownToken.ratePerMinute.toLocaleString()}, the limit of your token.`
        }
        value={rate}
        onChange={({ target }) => set({ rate: target.value })}
      />
      <div className="submit-row">
        <button
          type="submit"
          className="primary"
          aria-disabled={isBusy || !isComplete}
          data-busy={isBusy || undefined}
        >
          Create token
        </button>
      </div>
    </form>
  );
}

/** Returns the label of a scope, such as `Add plants`. */
export function labelScope(scope: Scope): string {
  if (scope === 'admin') return 'Manage tokens';
  const [action = '', plural = 'plants'] = scope.split(':').toReversed();
  const [, verb = action] = scopeVerbs.find(([name]) => name === action) ?? [];
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${plural}`;
}
