import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { OperatorError } from '../../../errors/operator-error.js';
import { withTimeout } from '../../../runtime/timing.js';
import { type DatabaseLog, databaseUnavailable } from '../../database.js';
import { findDriverError } from '../errors.js';
import {
  type CitusNode,
  coordinatorGroup,
  findUndurable,
  readNodeSettings,
  readNodes,
  serverError,
} from './nodes.js';

/** Which nodes may be sent statements. */
export interface NodeWatch {
  /** Whether all may, so that it does not matter which node has which plant. */
  areAllUsable(): boolean;
  /** Sends nothing to a node, by default to none, until it was checked: a statement has failed there. */
  suspect(error: unknown, group?: number): void;
  /** Checks those of the nodes that had a problem, for a second at most. @throws {Error} as one of the server, if one still has */
  requireUsable(groups: ReadonlySet<number>): Promise<void>;
  /** @throws {ServiceError} why less than half of the ids can be stored */
  requireEnough(): void;
  /** The fraction of all ids that are on nodes that are away, from 0 to 1, and a sentence for the operator while there are some. */
  failingShare(): number;
  warnings(): readonly string[];
  /** Tests a commit on all nodes; throws why less than half of the ids can be stored. */
  probe(): Promise<void>;
  close(): void;
}

interface WatchOptions {
  readonly pool: Pick<Pool, 'query'>;
  readonly log: Pick<DatabaseLog, 'info' | 'warn'>;
  /** Tests that a plant can be stored on a node. */
  probeNode(group: number): Promise<void>;
  /** How often nodes that are away are checked, in milliseconds; every tenth time all are, and those that were added. */
  readonly everyMs?: number;
}

/** How long plants wait for the check of their node, and how long after one the next one begins at the earliest, in milliseconds. */
const patienceMs = 1_000;
const delayMs = 20;
/** The most of the ids that a ready service cannot store; fractions are not exact. */
const maxAway = 0.5 + 1e-9;

interface Problem {
  readonly error: Error;
  /** Whether a check has found it, or has not ended for long. */
  readonly isFound: boolean;
  readonly isFinal?: boolean;
}

/**
 * Watches which nodes are away, and which would acknowledge a plant before it is on their disk. These get nothing until the service
 * is started again: for minutes the coordinator keeps connections that have the former settings.
 *
 * @throws {OperatorError} when there is one of the latter already
 */
export async function watchNodes(options: WatchOptions): Promise<NodeWatch> {
  const { pool, log, probeNode, everyMs = 1_000 } = options;
  let nodes = await readNodes(pool);
  const problems = new Map<number, Problem>();
  const checks = new Map<number, Promise<void>>();
  const checkedAt = new Map<number, number>();
  let isDegraded = false;

  async function inspect({ group, name }: CitusNode): Promise<void> {
    try {
      // What the coordinator stores itself is committed as the service has set it for its own connections.
      const settings = group === coordinatorGroup ? undefined : await readNodeSettings(pool, { group, name });
      const undurable = settings && findUndurable(settings, name);
      if (undurable !== undefined) {
        const error = new Error(`The database cannot be used: ${undurable.found}. ${undurable.advice}`);
        problems.set(group, { error, isFound: true, isFinal: true });
      } else if (problems.has(group)) {
        await probeNode(group);
        problems.delete(group);
      }
    } catch (error) {
      // A check that cannot run shows nothing about a node: it may lack a free connection.
      if (error instanceof Error && findDriverError(error)?.code !== undefined)
        problems.set(group, { error, isFound: true });
    }
  }

  /** Resolves after a second at most. A node has one check at a time, which may hang. */
  function check(node: CitusNode): Promise<void> {
    const { group, name } = node;
    const current = checks.get(group);
    if (current !== undefined || problems.get(group)?.isFinal) return current ?? Promise.resolve();
    const checked = inspect(node).finally(() => {
      checks.delete(group);
      checkedAt.set(group, performance.now());
    });
    const waited = withTimeout(checked, patienceMs, () => {
      const { error = new Error(`${name} does not answer`) } = problems.get(group) ?? {};
      problems.set(group, { error, isFound: true });
    }).then(logChange);
    checks.set(group, waited);
    return waited;
  }

  const findAway = () => nodes.flatMap((node) => (problems.get(node.group)?.isFound ? node : []));
  const awayShare = () => findAway().reduce((sum, { share }) => sum + share, 0);

  function logChange(): void {
    const [first] = findAway();
    if (isDegraded === (first !== undefined)) return;
    isDegraded = first !== undefined;
    const err = first && problems.get(first.group)?.error;
    if (err) log.warn({ failingShare: awayShare(), err }, 'degraded');
    else log.info({}, 'no longer degraded');
  }

  function requireEnough(): void {
    const [first] = findAway();
    if (first && awayShare() > maxAway) throw databaseUnavailable(problems.get(first.group)?.error);
  }

  async function refresh(tick: number): Promise<void> {
    if (tick % 10 === 0) nodes = await readNodes(pool);
    for (const group of problems.keys())
      if (!nodes.some((node) => node.group === group)) problems.delete(group);
    for (const node of nodes) if (tick % 10 === 0 || problems.has(node.group)) void check(node);
  }

  await Promise.all(nodes.map(check));
  const undurable = [...problems.values()].find(({ isFinal }) => isFinal);
  if (undurable !== undefined) throw new OperatorError(undurable.error.message);
  let tick = 0;
  // A coordinator that does not answer is noticed by what needs it.
  const timer = setInterval(() => void refresh(++tick).catch(() => undefined), everyMs).unref();

  function suspect(error: unknown, group?: number): void {
    for (const node of nodes) {
      if (problems.has(node.group) || (group !== undefined && node.group !== group)) continue;
      problems.set(node.group, { error: toError(error), isFound: false });
      void check(node);
    }
  }

  return {
    suspect,
    areAllUsable: () => problems.size === 0,
    async requireUsable(groups) {
      for (const node of nodes.filter(({ group }) => groups.has(group) && problems.has(group))) {
        const waitMs = (checkedAt.get(node.group) ?? 0) + delayMs - performance.now();
        if (waitMs > 0) await sleep(waitMs);
        if (problems.has(node.group)) await check(node);
        const problem = problems.get(node.group);
        // 55000 is object_not_in_prerequisite_state: the request can be retried.
        if (problem !== undefined) throw serverError('55000', problem.error.message);
      }
    },
    requireEnough,
    failingShare: awayShare,
    warnings: () => (findAway().length > 0 ? [describe(awayShare())] : []),
    async probe() {
      suspect(new Error('commits are failing'));
      await Promise.all(nodes.map(check));
      requireEnough();
    },
    close: () => clearInterval(timer),
  };
}

function describe(share: number): string {
  return `Plants with ${Math.ceil(100 * share - 1e-9)} % of the ids cannot be stored, since a part of the database fails. The line "degraded" of the log has the cause.`;
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
