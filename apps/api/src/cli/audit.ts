import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import type { AuditAction, AuditEntry } from '@plant-store/contract/operations';
import { listAudit } from '@plant-store/records';
import type { Config } from '../config.js';
import { type CliContext, type JsonOption, toJsonLine, writeResult } from './cli-context.js';
import { retryWhileUnavailable, withDatabase } from './database.js';

export interface AuditOptions extends JsonOption {
  readonly action?: AuditAction;
  /** The maximum number of entries; by default all. */
  readonly limit?: number;
  /** The number of an entry. Only older entries are printed. */
  readonly after?: number;
}

const pageSize = 1_000;

/**
 * Prints who did what with tokens, backups, and imported files, newest first. With `--json`, prints the entries as `GET /audit` returns
 * them.
 */
export async function printAudit(
  config: Config,
  { action, limit = Number.POSITIVE_INFINITY, after: start, json = false }: AuditOptions,
  context: CliContext,
): Promise<void> {
  await withDatabase(config, { mustExist: true }, async ({ audit }) => {
    let after = start === undefined ? undefined : String(start);
    let remaining = limit;
    let isFirst = true;
    do {
      const query = { limit: Math.min(remaining, pageSize), after, action };
      const { entries, next } = await retryWhileUnavailable(() => listAudit(audit, query));
      if (isFirst && entries.length === 0) return context.message('The audit log has no matching entries.');
      if (isFirst && !json) await writeResult(context, `${columns.join('\t')}\n`);
      await writeResult(context, entries.map(json ? toJsonLine : describe).join(''));
      isFirst = false;
      remaining -= entries.length;
      after = next;
    } while (after !== undefined && remaining > 0);
    if (after !== undefined) await context.message(`For more, use --after ${after}`);
  });
}

const columns = ['NUMBER', 'TIME', 'ACTION', 'BY', 'ABOUT'];

function describe({ number, at, action, by, ...about }: AuditEntry): string {
  return `${[number, at, action, describeActor(by), describeSubject(about)].join('\t')}\n`;
}

const nameToken = ({ id, name = '' }: Pick<AuditEntry['by'], 'id' | 'name'>) =>
  `token ${id} "${escapeInvisible(name)}"`;

function describeActor({ subject, user, ...token }: AuditEntry['by']): string {
  if (user !== undefined) return `user ${escapeInvisible(user)}`;
  return subject === undefined ? nameToken(token) : `subject ${escapeInvisible(subject)}`;
}

function describeSubject({
  token,
  replaced,
  backup,
  file,
}: Pick<AuditEntry, 'token' | 'replaced' | 'backup' | 'file'>): string {
  const parts: string[] = [];
  if (token !== undefined) {
    const { expiresAt, ratePerMinute, scopes } = token;
    parts.push(
      nameToken(token),
      scopes.join(),
      ...(expiresAt === undefined ? [] : [`expires ${expiresAt}`]),
      ...(ratePerMinute === undefined ? [] : [`${ratePerMinute} requests a minute`]),
    );
  }
  if (replaced !== undefined) parts.push(`replacing ${nameToken(replaced)}`);
  if (backup !== undefined)
    parts.push(
      `${escapeInvisible(backup.name)}, made ${backup.madeAt}`,
      ...(backup.storeId === undefined ? [] : [`from store ${backup.storeId}`]),
    );
  if (file !== undefined) {
    const { name = 'standard input', resources, imported, alreadyThere, bad, complete } = file;
    parts.push(
      `${escapeInvisible(name)}: ${resources.join(', ')}`,
      `${imported} imported, ${alreadyThere} already there, ${bad} bad`,
      ...(complete ? [] : ['incomplete']),
    );
  }
  return parts.join(', ');
}
