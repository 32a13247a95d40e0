import type { Scope } from '@plant-store/contract/access-token';
import { messages } from '@plant-store/contract/messages';
import type {
  AuditAction,
  AuditEntry,
  AuditedToken,
  AuditPage,
  AuditQuery,
  ImportedFile,
  RestoredBackup,
} from '@plant-store/contract/operations';
import { ServiceError } from './errors.js';
import { toIsoTime } from './iso-time.js';

/**
 * Who did something: an access token by its ID and its name at that time, the subject of a JSON Web Token, or a user at the command line.
 */
export type Actor =
  | { readonly id: number; readonly name: string; readonly subject?: undefined; readonly user?: undefined }
  | { readonly subject: string; readonly id?: undefined; readonly user?: undefined }
  | { readonly user: string; readonly id?: undefined; readonly subject?: undefined };

/** A token as stored in the audit log, without its secret. */
export type TokenAtThatTime = Omit<AuditedToken, 'id'> & { readonly id: number };

/** What an audited action affected. */
export interface Subject {
  readonly token?: TokenAtThatTime | undefined;
  readonly replaced?: { readonly id: number; readonly name: string } | undefined;
  readonly backup?: RestoredBackup | undefined;
  readonly file?: ImportedFile | undefined;
}

export interface AuditEvent {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly by: Actor;
  readonly action: AuditAction;
  readonly about: Subject;
}

export interface NumberedAuditEvent extends AuditEvent {
  readonly number: number;
}

interface AuditEventQuery {
  /** Only events with lower numbers. */
  readonly before: number | undefined;
  readonly action: AuditAction | undefined;
  readonly limit: number;
}

export interface Audit {
  /** Lists events, the newest first. */
  list(query: AuditEventQuery): Promise<readonly NumberedAuditEvent[]>;
}

const defaultLimit = 100;

/**
 * Returns a page of the audit log, the newest entries first.
 *
 * @throws {ServiceError} `bad_request` when `after` is not the `next` of a page
 */
export async function listAudit(
  audit: Audit,
  { limit = defaultLimit, after, action }: AuditQuery,
): Promise<AuditPage> {
  if (after !== undefined && !/^[1-9]\d{0,14}$/.test(after))
    throw new ServiceError('bad_request', messages.invalidCursor);
  const before = after === undefined ? undefined : Number(after);
  const events = await audit.list({ before, action, limit: limit + 1 });
  const page = events.slice(0, limit);
  const last = page.at(-1);
  return {
    entries: page.map(showEvent),
    ...(events.length > limit && last !== undefined && { next: String(last.number) }),
  };
}

function showEvent({ number, at, by, action, about }: NumberedAuditEvent): AuditEntry {
  const { token, replaced, backup, file } = about;
  return {
    number,
    at: toIsoTime(at),
    by: by.id === undefined ? by : { ...by, id: BigInt(by.id) },
    action,
    ...(token && { token: { ...token, id: BigInt(token.id) } }),
    ...(replaced && { replaced: { ...replaced, id: BigInt(replaced.id) } }),
    ...(backup && { backup }),
    ...(file && { file }),
  };
}

/** Returns a token as the audit log stores it. */
export function describeToken({
  id,
  name,
  scopes,
  expiresAt,
  ratePerMinute,
}: Pick<TokenAtThatTime, 'id' | 'name'> & {
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly ratePerMinute?: number | null;
}): TokenAtThatTime {
  return {
    id,
    name,
    scopes: [...scopes],
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    ...(ratePerMinute && { ratePerMinute }),
  };
}

/** Returns an actor's name for the log and for records: a token's ID, `subject` and a JSON Web Token's subject, or `command line`. */
export function nameActor({ id, subject }: Actor): string {
  if (id !== undefined) return String(id);
  return subject === undefined ? 'command line' : `subject ${subject}`;
}
