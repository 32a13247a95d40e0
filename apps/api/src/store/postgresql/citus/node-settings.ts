import type { ClientBase, Pool } from 'pg';
import { OperatorError } from '../../../errors/operator-error.js';
import { suppressesWarnings } from '../connection.js';
import { findDriverError } from '../errors.js';
import { type CitusNode, type NodeAddress, nameOfNode } from './shard-map.js';

/**
 * Settings of a worker node, as they are on the connections of the coordinator to it, which store plants. What the service
 * sets on its own connections does not reach those.
 */
export interface NodeSettings {
  /** The value of `synchronous_commit`. */
  readonly commits: string;
  /** The value of `client_min_messages`. */
  readonly messages: string;
  /** The value of `fsync`. */
  readonly fsync: string;
  /** The value of `full_page_writes`. */
  readonly pages: string;
  /** The value of `synchronous_standby_names`. */
  readonly names: string;
  /** How many standbys or backups receive its log. */
  readonly receivers: number;
}

const selectSettings = `
  SELECT json_build_object(
    'commits', current_setting('synchronous_commit'), 'messages', current_setting('client_min_messages'),
    'fsync', current_setting('fsync'), 'pages', current_setting('full_page_writes'),
    'names', current_setting('synchronous_standby_names'),
    'receivers', (SELECT count(*) FROM pg_stat_replication))`;

/** The address is read again, since a standby may have taken the place of the node. */
const runOnNode = `
  SELECT success, result FROM pg_catalog.pg_dist_node,
    master_run_on_worker(ARRAY[nodename], ARRAY[nodeport], ARRAY[$2], false)
  WHERE groupid = $1 AND noderole = 'primary'`;

/**
 * Reads the settings of a node.
 *
 * @param connection to the coordinator
 * @throws {Error} as one of the server, when the coordinator does not reach the node, or the node does not answer
 */
export async function readNodeSettings(
  connection: Pick<ClientBase | Pool, 'query'>,
  node: CitusNode,
): Promise<NodeSettings> {
  const { rows } = await connection
    .query<{ success: boolean; result: string }>(runOnNode, [node.group, selectSettings])
    .catch((error: unknown) => {
      // 57014 is query_canceled, by its timeout.
      if (findDriverError(error)?.code !== '57014') throw error;
      throw unreached('57014', `${nameOfNode(node)} does not answer`, error);
    });
  const { success, result } = rows[0] ?? {
    success: false,
    result: `${nameOfNode(node)} is no node any more`,
  };
  if (success) return JSON.parse(result);
  // 08006 is connection_failure, as for a statement that needs this node.
  throw unreached('08006', result);
}

/** An error as the driver throws those of the server. */
function unreached(code: string, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { severity: 'ERROR', code });
}

/** Why a plant may be lost although its statement on a node has succeeded, and what to do; `undefined` if it may not. */
export function findUndurable(
  { commits, messages }: NodeSettings,
  node: NodeAddress,
): { readonly found: string; readonly advice: string } | undefined {
  const name = nameOfNode(node);
  if (commits === 'off')
    return {
      found: `commits on its node ${name} do not wait for the disk (synchronous_commit = off)`,
      advice: adviseToSet('synchronous_commit = on'),
    };
  if (suppressesWarnings(messages))
    return {
      found: `its node ${name} sends no warnings (client_min_messages), one of which reports that a commit did not wait for its standby`,
      advice: adviseToSet('client_min_messages = warning'),
    };
  return undefined;
}

function adviseToSet(setting: string): string {
  return `Set it for the user, on the coordinator while all nodes run: ALTER ROLE … SET ${setting}. Then start the service again.`;
}

/**
 * Checks that plants on a node are on its disk, and on its synchronous standby, when its statement has succeeded.
 *
 * @throws {OperatorError} otherwise, with what to do
 */
export function requireDurable(settings: NodeSettings, node: NodeAddress): void {
  const undurable = findUndurable(settings, node);
  if (undurable === undefined) return;
  throw new OperatorError(`The database cannot be used: ${undurable.found}. ${undurable.advice}`);
}
