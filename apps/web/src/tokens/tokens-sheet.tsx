import type { IssuedToken, OwnToken, Token } from '@plant-store/client';
import { isRejectedError, unwrap } from '@plant-store/client/unwrap';
import { useCallback, useEffect, useState } from 'react';
import { formatAge, formatTime } from '../plants/format-time.js';
import { explainFailure } from '../shared/explain-failure.js';
import { usePlantStore } from '../shared/plant-store.js';
import { Sheet } from '../shared/sheet.js';
import { NewSecret } from './new-secret.js';
import { TokenForm } from './token-form.js';
import './tokens.css';

interface TokensSheetProps {
  /** The token of the page, which gives no more than it has. */
  readonly own: OwnToken;
  readonly isOpen: boolean;
  onClose(): void;
}

/** For how long a token that is rotated here works on, in seconds: an hour. */
const overlapSeconds = 3_600;

/** All tokens: to create one, to rotate and to revoke others. The text of a new one is shown until this is closed, and kept nowhere. */
export function TokensSheet({ own, isOpen, onClose }: TokensSheetProps) {
  const { client } = usePlantStore();
  const { tokens, problem, isBusy, change } = useTokens(isOpen);
  const [issued, setIssued] = useState<IssuedToken>();
  const [asked, setAsked] = useState<bigint>();
  const close = () => {
    setIssued(undefined);
    setAsked(undefined);
    onClose();
  };
  const issue = (request: () => Promise<IssuedToken>) =>
    change(
      async () => setIssued(await request()),
      'Whether there is a new token is not known: look at the list.',
    );
  return (
    <Sheet title="Tokens" isOpen={isOpen} onClose={close}>
      <p role="alert" className="message problem">
        {problem !== undefined && <span>{problem}</span>}
      </p>
      {issued !== undefined && <NewSecret issued={issued} onDone={() => setIssued(undefined)} />}
      <details className="token-fold">
        <summary>Create a token</summary>
        <TokenForm
          own={own}
          isBusy={isBusy}
          onSubmit={(body) => issue(() => unwrap(client.createToken({ body })))}
        />
      </details>
      {tokens === undefined && problem === undefined && <p className="note">Loading…</p>}
      <ul className="token-list">
        {tokens?.map((token) => (
          <li key={String(token.id)}>
            <span>
              <strong translate="no">{token.name}</strong>
              {token.id === own.id && <span> (this page)</span>}
            </span>
            <span className="note">{describeToken(token)}</span>
            {!hasEnded(token) && (
              <div className="submit-row">
                <button
                  type="button"
                  aria-disabled={isBusy}
                  onClick={() =>
                    void issue(() =>
                      unwrap(client.rotateToken({ params: { id: token.id }, body: { overlapSeconds } })),
                    )
                  }
                >
                  <span>Rotate</span>
                  <span className="visually-hidden" translate="no">{`: ${token.name}`}</span>
                </button>
                <button
                  type="button"
                  aria-disabled={isBusy}
                  onClick={() => {
                    if (asked !== token.id) return setAsked(token.id);
                    setAsked(undefined);
                    void change(() => unwrap(client.revokeToken({ params: { id: token.id } })));
                  }}
                >
                  {asked === token.id ? (
                    <span key="sure">Revoke for good</span>
                  ) : (
                    <span key="ask">Revoke</span>
                  )}
                  <span className="visually-hidden" translate="no">{`: ${token.name}`}</span>
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
    </Sheet>
  );
}

/** All tokens, loaded each time that they are shown, and after each change: the latest first, and those that have ended last. */
function useTokens(isShown: boolean) {
  const { client, rejectToken } = usePlantStore();
  const [tokens, setTokens] = useState<readonly Token[]>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const explain = useCallback(
    (error: unknown, uncertain = '') => {
      const { about, message } = explainFailure(error, 'read');
      if (about === 'token') rejectToken(message);
      else setProblem(isRejectedError(error) ? message : `${message} ${uncertain}`.trim());
    },
    [rejectToken],
  );
  const load = useCallback(
    async (signal?: AbortSignal) => {
      try {
        const listed = await unwrap(client.listTokens(signal && { signal }));
        if (signal?.aborted) return;
        const latest = listed.tokens.toReversed();
        setTokens([...latest.filter((token) => !hasEnded(token)), ...latest.filter(hasEnded)]);
      } catch (error) {
        if (!signal?.aborted) explain(error);
      }
    },
    [client, explain],
  );
  useEffect(() => {
    if (!isShown) return;
    const control = new AbortController();
    setProblem(undefined);
    void load(control.signal);
    return () => control.abort();
  }, [isShown, load]);
  /**
   * Makes one change at a time.
   *
   * @param uncertain what to do if there is no reply
   * @returns whether it was made
   */
  const change = async (make: () => Promise<unknown>, uncertain?: string): Promise<boolean> => {
    if (isBusy) return false;
    setBusy(true);
    setProblem(undefined);
    try {
      await make();
      return true;
    } catch (error) {
      explain(error, uncertain);
      return false;
    } finally {
      setBusy(false);
      void load();
    }
  };
  return { tokens, problem, isBusy, change };
}

function hasEnded({ revokedAt, expiresAt }: Token): boolean {
  return revokedAt !== undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now());
}

/** What a token permits and until when, in a line. */
function describeToken(token: Token): string {
  const { scopes, lastUsedAt, ratePerMinute } = token;
  return [
    scopes.join(', '),
    describeEnd(token),
    lastUsedAt === undefined ? 'never used' : `last used ${formatAge(lastUsedAt, Date.now())}`,
    ...(ratePerMinute === undefined ? [] : [`${ratePerMinute.toLocaleString()} requests a minute`]),
  ].join(' · ');
}

function describeEnd(token: Token): string {
  const { expiresAt, revokedAt } = token;
  if (revokedAt !== undefined) return `revoked ${formatTime(revokedAt)}`;
  if (expiresAt === undefined) return 'never expires';
  return `${hasEnded(token) ? 'expired' : 'expires'} ${formatTime(expiresAt)}`;
}
