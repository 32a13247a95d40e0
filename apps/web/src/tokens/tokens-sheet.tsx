import { type IssuedToken, isRejectedError, type OwnToken, type Token, unwrap } from '@plant-store/client';
import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { formatAge, formatTime } from '../plants/format-time.js';
import { useFailure } from '../plants/use-plants.js';
import { explainFailure } from '../shared/explain-failure.js';
import { queryKeys, usePlantStore, useRejectedToken } from '../shared/plant-store.js';
import { Sheet } from '../shared/sheet.js';
import { useOwnToken } from '../shared/use-scopes.js';
import { warnBeforeClosing } from '../shared/warn-before-closing.js';
import { NewSecret } from './new-secret.js';
import { labelScope, TokenForm } from './token-form.js';
import './tokens.css';

interface TokensSheetProps {
  readonly isOpen: boolean;
  /** Called with the token that replaced the page's token. */
  onOwnRotated(token: string): void;
  onClose(): void;
}

/** How long a token that is rotated here still works, in seconds: an hour. */
const overlapSeconds = 3_600;

/** An action that requires a second press. */
interface Asked {
  readonly id: bigint;
  readonly what: 'rotate' | 'revoke';
}

/** The sheet for people whose token may manage all tokens. */
export function TokensSheet(props: TokensSheetProps) {
  const own = useOwnToken();
  return own?.scopes.includes('admin') ? <Tokens own={own} {...props} /> : null;
}

/**
 * Lists all tokens, and creates, rotates and revokes them. The text of a new one is shown until the person has saved it, and stored
 * nowhere.
 */
function Tokens({ own, isOpen, onOwnRotated, onClose }: TokensSheetProps & { readonly own: OwnToken }) {
  const { client } = usePlantStore();
  const queryClient = useQueryClient();
  const { tokens, problem, isBusy, change } = useTokens(isOpen);
  const [issued, setIssued] = useState<readonly IssuedToken[]>([]);
  const [asked, setAsked] = useState<Asked>();
  const isUnkept = issued.length > 0;
  useEffect(() => (isUnkept ? warnBeforeClosing() : undefined), [isUnkept]);
  const close = () => {
    setAsked(undefined);
    onClose();
  };
  const issue = (request: () => Promise<IssuedToken>) =>
    change(async () => {
      const token = await request();
      setIssued((before) => [token, ...before]);
      return token;
    }, 'The token may have been created. Check the list.');
  const rotate = async ({ id }: Token) => {
    const rotated = await issue(() =>
      unwrap(client.rotateToken({ params: { id }, body: { overlapSeconds } })),
    );
    if (rotated === undefined || id !== own.id) return;
    const queryKey = queryKeys.getOwnToken.queryKey();
    queryClient.setQueriesData<OwnToken>({ queryKey }, (before) => before && { ...before, id: rotated.id });
    onOwnRotated(rotated.secret);
  };
  /** Whether this is the second press. The first one asks for confirmation. */
  const isSure = (id: bigint, what: Asked['what']) => {
    const isAsked = asked?.id === id && asked.what === what;
    setAsked(isAsked ? undefined : { id, what });
    return isAsked;
  };
  return (
    <Sheet title="Tokens" isOpen={isOpen} onClose={close}>
      <p role="alert" className="message problem">
        {problem !== undefined && <span>{problem}</span>}
      </p>
      {issued.map((token) => (
        <NewSecret
          key={String(token.id)}
          issued={token}
          onDone={() => setIssued((before) => before.filter(({ id }) => id !== token.id))}
        />
      ))}
      <details
        className="token-fold"
        onToggle={({ currentTarget: fold }) => fold.open && fold.querySelector('input')?.focus()}
      >
        <summary>Create a token</summary>
        <TokenForm
          own={own}
          isBusy={isBusy}
          onSubmit={async (body) => (await issue(() => unwrap(client.createToken({ body })))) !== undefined}
        />
      </details>
      {tokens === undefined && problem === undefined && <p className="note">Loading…</p>}
      <ul className="token-list">
        {tokens?.map((token) => (
          <li key={String(token.id)}>
            <span>
              <bdi translate="no">
                <strong>{escapeInvisible(token.name)}</strong>
              </bdi>
              {token.id === own.id && <span> (this page)</span>}
            </span>
            <span className="note">{describeToken(token)}</span>
            {!hasEnded(token) && (
              <div className="submit-row">
                <button
                  type="button"
                  aria-disabled={isBusy}
                  onClick={() => !isBusy && isSure(token.id, 'rotate') && void rotate(token)}
                >
                  {asked?.id === token.id && asked.what === 'rotate' ? (
                    <span key="sure">Rotate: the old token works for one more hour</span>
                  ) : (
                    <span key="ask">Rotate</span>
                  )}
                  <span className="visually-hidden" translate="no">{`: ${escapeInvisible(token.name)}`}</span>
                </button>
                <button
                  type="button"
                  aria-disabled={isBusy}
                  onClick={() => {
                    if (isBusy || !isSure(token.id, 'revoke')) return;
                    void change(() => unwrap(client.revokeToken({ params: { id: token.id } })));
                  }}
                >
                  {asked?.id === token.id && asked.what === 'revoke' ? (
                    <span key="sure">Revoke permanently</span>
                  ) : (
                    <span key="ask">Revoke</span>
                  )}
                  <span className="visually-hidden" translate="no">{`: ${escapeInvisible(token.name)}`}</span>
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
    </Sheet>
  );
}

/** All tokens: latest first, and ended ones last. Loaded each time that they are shown, and after each change. */
function useTokens(isShown: boolean) {
  const { operations, rejectToken } = usePlantStore();
  const query = useQuery({
    ...operations.listTokens.queryOptions(),
    enabled: isShown,
    networkMode: 'always',
    retry: false,
  });
  const failure = useFailure(query);
  useRejectedToken(failure);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    if (isShown) setProblem(undefined);
  }, [isShown]);
  /**
   * Makes one change at a time.
   *
   * @param uncertain what to do if there is no reply
   * @returns the result; `undefined` if the change was not made
   */
  const change = async <Result,>(
    make: () => Promise<Result>,
    uncertain = '',
  ): Promise<Result | undefined> => {
    if (isBusy) return undefined;
    setBusy(true);
    setProblem(undefined);
    try {
      return await make();
    } catch (error) {
      const { about, message } = explainFailure(error, 'read');
      if (about === 'token') rejectToken(message);
      else setProblem(isRejectedError(error) ? message : `${message} ${uncertain}`.trim());
      return undefined;
    } finally {
      setBusy(false);
      void query.refetch();
    }
  };
  const latest = query.data?.tokens.toReversed();
  const tokens = latest && [...latest.filter((token) => !hasEnded(token)), ...latest.filter(hasEnded)];
  return { tokens, problem: problem ?? failure?.message, isBusy, change };
}

function hasEnded({ revokedAt, expiresAt }: Token): boolean {
  return revokedAt !== undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now());
}

/** Describes the scopes and expiry of a token in one line. */
function describeToken(token: Token): string {
  const { id, scopes, createdAt, lastUsedAt, ratePerMinute } = token;
  return [
    scopes.map(labelScope).join(', '),
    `ID ${id}, created ${formatTime(createdAt)}`,
    describeEnd(token),
    lastUsedAt === undefined ? 'never used' : `last used ${describeUse(lastUsedAt)}`,
    ...(ratePerMinute === undefined ? [] : [`${ratePerMinute.toLocaleString()} requests per minute`]),
  ].join(' · ');
}

/** The service stores it at most once an hour. */
function describeUse(lastUsedAt: string): string {
  const now = Date.now();
  return now - Date.parse(lastUsedAt) < 3_600_000 ? 'in the last hour' : formatAge(lastUsedAt, now);
}

function describeEnd(token: Token): string {
  const { expiresAt, revokedAt } = token;
  if (revokedAt !== undefined) return `revoked ${formatTime(revokedAt)}`;
  if (expiresAt === undefined) return 'never expires';
  return `${hasEnded(token) ? 'expired' : 'expires'} ${formatTime(expiresAt)}`;
}
