import { type IssuedToken, isRejectedError, type OwnToken, type Token, unwrap } from '@plant-store/client';
import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { CopyButton } from '../plants/copy-button.js';
import { formatAge, formatTime } from '../plants/format-time.js';
import { useFailure } from '../plants/use-plants.js';
import { explainFailure } from '../shared/explain-failure.js';
import { queryKeys, serviceUrl, usePlantStore, useRejectedToken } from '../shared/plant-store.js';
import { QrCodeFold } from '../shared/qr-code-fold.js';
import { Sheet } from '../shared/sheet.js';
import { useOwnToken } from '../shared/use-scopes.js';
import { warnBeforeClosing } from '../shared/warn-before-closing.js';
import { labelScope, TokenForm } from './token-form.js';
import './tokens.css';

interface TokensSheetProps {
  readonly isOpen: boolean;
  /** Called with the token that replaced the page's token. */
  onOwnRotated(token: string): void;
  onClose(): void;
}

/** How long the old token works after a rotation, in seconds: an hour. */
const overlapSeconds = 3_600;

/** An action that asks for a second press. */
interface Confirmation {
  readonly id: bigint;
  readonly action: 'rotate' | 'revoke';
}

/** Shows all tokens, if the page's token permits managing them. */
export function TokensSheet(props: TokensSheetProps) {
  const ownToken = useOwnToken();
  return ownToken?.scopes.includes('admin') ? <Tokens ownToken={ownToken} {...props} /> : null;
}

/** Lists, creates, rotates, and revokes tokens. The secret of a new token is shown until the person has saved it, and is never stored. */
function Tokens({
  ownToken,
  isOpen,
  onOwnRotated,
  onClose,
}: TokensSheetProps & { readonly ownToken: OwnToken }) {
  const { client } = usePlantStore();
  const queryClient = useQueryClient();
  const { tokens, problem, isBusy, change } = useTokens(isOpen);
  const [issued, setIssued] = useState<readonly IssuedToken[]>([]);
  const [confirmation, setConfirmation] = useState<Confirmation>();
  const hasUnsavedSecret = issued.length > 0;
  useEffect(() => (hasUnsavedSecret ? warnBeforeClosing() : undefined), [hasUnsavedSecret]);
  const close = () => {
    setConfirmation(undefined);
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
    if (rotated === undefined || id !== ownToken.id) return;
    const queryKey = queryKeys.getOwnToken.queryKey();
    queryClient.setQueriesData<OwnToken>({ queryKey }, (before) => before && { ...before, id: rotated.id });
    onOwnRotated(rotated.secret);
  };
  const isConfirming = (id: bigint, action: Confirmation['action']) =>
    confirmation?.id === id && confirmation.action === action;
  /** Handles a press. The first one asks for confirmation, and the second one returns `true`. */
  const confirmAction = (id: bigint, action: Confirmation['action']) => {
    const isConfirmed = isConfirming(id, action);
    setConfirmation(isConfirmed ? undefined : { id, action });
    return isConfirmed;
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
          ownToken={ownToken}
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
              {token.id === ownToken.id && <span> (this page)</span>}
            </span>
            <span className="note">{describeToken(token)}</span>
            {!isInactive(token) && (
              <div className="submit-row">
                <button
                  type="button"
                  aria-disabled={isBusy}
                  onClick={() => !isBusy && confirmAction(token.id, 'rotate') && void rotate(token)}
                >
                  {isConfirming(token.id, 'rotate') ? (
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
                    if (isBusy || !confirmAction(token.id, 'revoke')) return;
                    void change(() => unwrap(client.revokeToken({ params: { id: token.id } })));
                  }}
                >
                  {isConfirming(token.id, 'revoke') ? (
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

/** Shows the secret of a new token, which cannot be shown again, with ways to transfer it. */
function NewSecret({ issued: { name, secret }, onDone }: { readonly issued: IssuedToken; onDone(): void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="stack new-token">
      <h3 ref={heading} tabIndex={-1}>
        <span>New token: </span>
        <bdi translate="no">{escapeInvisible(name)}</bdi>
      </h3>
      <p>
        Copy the token now: it disappears when you press <strong>I saved it</strong> or close this page.
        Anyone who has it can use it.
      </p>
      <p>
        <code translate="no">{secret}</code> <CopyButton text={secret} label="Copy the token" />
      </p>
      <QrCodeFold
        address={`${serviceUrl}/#token=${secret}`}
        label="QR code that opens the page with the new token"
      >
        <button type="button" onClick={onDone}>
          I saved it
        </button>
      </QrCodeFold>
    </section>
  );
}

/** Returns all tokens, latest first, with inactive ones last. Loads them each time the sheet opens, and after each change. */
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
   * @param advice what to do if there is no reply
   * @returns the result; `undefined` if the change was not made
   */
  const change = async <Result,>(make: () => Promise<Result>, advice = ''): Promise<Result | undefined> => {
    if (isBusy) return undefined;
    setBusy(true);
    setProblem(undefined);
    try {
      return await make();
    } catch (error) {
      const { about, message } = explainFailure(error, 'read');
      if (about === 'token') rejectToken(message);
      else setProblem(isRejectedError(error) ? message : `${message} ${advice}`.trim());
      return undefined;
    } finally {
      setBusy(false);
      void query.refetch();
    }
  };
  const latest = query.data?.tokens.toReversed();
  const tokens = latest && [...latest.filter((token) => !isInactive(token)), ...latest.filter(isInactive)];
  return { tokens, problem: problem ?? failure?.message, isBusy, change };
}

function isInactive({ revokedAt, expiresAt }: Token): boolean {
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

const hourMs = 3_600_000;

/** Describes the last use. The service updates this time at most once an hour. */
function describeUse(lastUsedAt: string): string {
  const now = Date.now();
  return now - Date.parse(lastUsedAt) < hourMs ? 'in the last hour' : formatAge(lastUsedAt, now);
}

function describeEnd(token: Token): string {
  const { expiresAt, revokedAt } = token;
  if (revokedAt !== undefined) return `revoked ${formatTime(revokedAt)}`;
  if (expiresAt === undefined) return 'never expires';
  return `${isInactive(token) ? 'expired' : 'expires'} ${formatTime(expiresAt)}`;
}
