import type { contract, RecordMetadata } from '@plant-store/contract';
import {
  type Actor,
  type Audit,
  createTokenManagement,
  listAudit,
  type OwnAccess,
  showOwnToken,
  type Tokens,
} from '@plant-store/records';
import type { AppRouteImplementation } from '@ts-rest/express';
import type { Logger } from 'pino';
import { logTokenChange } from '../../auth/token-service.js';
import { costPerTurn, type Turns } from '../../runtime/turns.js';
import { callerOf } from '../middleware/bearer-auth.js';
import { setCommonHeaders } from '../security-headers.js';

export interface TokenDependencies {
  readonly ownTokens: Tokens;
  readonly audit: Audit;
  /** How many requests per minute this process accepts from a token without its own limit; 0 means no limit. */
  readonly rateLimitPerMinute: number;
  /** The number of processes. Each enforces its share of the limit. */
  readonly workers: number;
  readonly turns: Turns;
  readonly log: Logger;
}

type Contract = typeof contract;

/** The handlers of all operations other than record operations. */
export type TokenHandlers = {
  readonly [Name in keyof Contract as Contract[Name]['metadata'] extends RecordMetadata
    ? never
    : Name]: AppRouteImplementation<Contract[Name]>;
};

export function createTokenHandlers({
  ownTokens,
  rateLimitPerMinute,
  audit,
  workers,
  turns,
  log,
}: TokenDependencies): TokenHandlers {
  const tokens = createTokenManagement(ownTokens, rateLimitPerMinute * workers, (...change) =>
    logTokenChange(log, ...change),
  );
  return {
    async getOwnToken({ res }) {
      return { status: 200, body: showOwnToken(accessOf(res.locals)) };
    },
    async listTokens({ res }) {
      await turns.wait(callerOf(res.locals), tokensCost);
      return { status: 200, body: { tokens: await tokens.list() } };
    },
    async createToken({ body, res }) {
      // Waits for a turn, because a create counts the valid tokens, and so does a rotation.
      await turns.wait(callerOf(res.locals), tokensCost);
      return { status: 200, body: await tokens.create(body, accessOf(res.locals)) };
    },
    async rotateToken({ params: { id }, body, res }) {
      await turns.wait(callerOf(res.locals), tokensCost);
      return { status: 200, body: await tokens.rotate(id, body, accessOf(res.locals)) };
    },
    async revokeToken({ params: { id }, res }) {
      await tokens.revoke(id, actorOf(res.locals));
      setCommonHeaders(res.req, res);
      return { status: 204, body: undefined };
    },
    async listAudit({ query, res }) {
      await turns.wait(callerOf(res.locals), tokensCost);
      return { status: 200, body: await listAudit(audit, query) };
    },
  };
}

function actorOf({ accessToken, subject = '' }: Express.Locals): Actor {
  return accessToken === undefined ? { subject } : { id: accessToken.id, name: accessToken.name };
}

function accessOf(locals: Express.Locals): OwnAccess {
  const { accessToken: token, subject, acceptedUntil, scopes = [] } = locals;
  const expiresAt = token?.expiresAt?.getTime() ?? acceptedUntil;
  return { by: actorOf(locals), token, subject, scopes, expiresAt };
}

/** The cost of reading the maximum number of tokens, or an audit page, in the unit of `Turns.schedule`. */
const tokensCost = 16 * costPerTurn;
