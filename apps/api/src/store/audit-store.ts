import { auditActions } from '@plant-store/contract';
import { scopes as allScopes } from '@plant-store/contract/access-token';
import type { Audit, AuditEvent, NumberedAuditEvent, Subject } from '@plant-store/records';
import { hideAccessTokens } from '../auth/token-service.js';

/** A statement with a `?` placeholder for each value. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

type Rows = readonly (readonly unknown[])[];

/** Statements that run one after the other. Each can depend on the rows of earlier ones. */
export type Steps<Result> = Generator<Statement, Result, Rows>;

/**
 * Runs steps in one transaction: all of them take effect, or none if one fails or throws. Steps never run concurrently. They can be retried
 * from the start, with a new call of `createSteps`.
 */
export type RunSteps = <Result>(createSteps: () => Steps<Result>) => Promise<Result>;

/** The audit log, on any engine. Every method can throw `database_unavailable`. */
export interface AuditStore extends Audit {
  /** Adds an event that no other store records, unless the same event is already stored. */
  add(event: AuditEvent): Promise<void>;
}

/** Yields the statement that stores an event, as one of the steps of a larger change. */
export function* recordEvent(event: AuditEvent): Steps<void> {
  yield { sql: `${insert} VALUES (?, ?, ?, ?)`, values: toValues(event) };
}

const insert = 'INSERT INTO audit ("at", "by", action, about)';

function toValues({ at, by, action, about }: AuditEvent): readonly unknown[] {
  // A name can contain a token, which must never be stored.
  return [at, hideAccessTokens(JSON.stringify(by)), action, hideAccessTokens(JSON.stringify(about))];
}

type QueryRows = (statement: Statement) => Promise<Rows>;

export function createAuditStore(query: QueryRows, runSteps: RunSteps): AuditStore {
  return {
    add: (event) =>
      runSteps(function* () {
        const [at, , action, about] = toValues(event);
        const where = '"at" = ? AND action = ? AND about = ? LIMIT 1';
        const found = yield { sql: `SELECT 1 FROM audit WHERE ${where}`, values: [at, action, about] };
        if (found.length === 0) yield* recordEvent(event);
      }),
    async list({ before = Number.MAX_SAFE_INTEGER, action, limit }) {
      const actionCondition = action === undefined ? '' : 'AND action = ? ';
      const rows = await query({
        sql: `SELECT number, "at", "by", action, about FROM audit WHERE number < ? ${actionCondition}ORDER BY number DESC LIMIT ?`,
        values: [before, ...(action === undefined ? [] : [action]), limit],
      });
      return rows.flatMap(toEvent);
    },
  };
}

/** Converts a row to an event. Returns nothing for an action that only a later version knows. */
function toEvent([number, at, by, name, about]: readonly unknown[]): readonly NumberedAuditEvent[] {
  const action = auditActions.find((known) => known === name);
  if (action === undefined) return [];
  const { token, ...others }: Subject = JSON.parse(String(about));
  const scopes = allScopes.filter((scope) => token?.scopes.includes(scope));
  return [
    {
      number: Number(number),
      at: Number(at),
      by: JSON.parse(String(by)),
      action,
      about: { ...others, ...(token && { token: { ...token, scopes } }) },
    },
  ];
}
