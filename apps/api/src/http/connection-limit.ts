import type { Server } from 'node:http';
import { OperatorError } from '../errors/operator-error.js';

/** Descriptors that the process, its threads, and the files of the database take, with room to spare: about 40 are in use. */
const ownDescriptors = 64;

/** With fewer connections than this the service does not start. */
const leastConnections = 16;

/** What else needs descriptors. */
interface OtherDescriptors {
  /** How many connections the admin port has at most. */
  readonly adminConnections: number;
  /** How many connections to the database there are at most. */
  readonly databaseConnections: number;
}

/**
 * How many connections of clients the limit on open files allows, so that none takes a descriptor that the database or the admin
 * port needs.
 *
 * @param openFiles the limit of this process
 * @throws {OperatorError} when the limit is too low
 */
export function countAllowedConnections(
  openFiles: number,
  { adminConnections, databaseConnections }: OtherDescriptors,
): number {
  const reserved = ownDescriptors + adminConnections + databaseConnections;
  if (openFiles >= reserved + leastConnections) return openFiles - reserved;
  throw new OperatorError(
    `A process of the service may open ${openFiles} files, but needs ${reserved + leastConnections} or more: ${reserved} for the ` +
      `database and the admin port, and one for each connection. Raise the limit: LimitNOFILE in systemd, or ulimit -n.`,
  );
}

/**
 * The limit on open files of this process (`RLIMIT_NOFILE`), which Node.js raises to the highest that the system permits. Call it before
 * there are connections: the report, which is used for nothing else, also looks up the names of their peers.
 */
export function readOpenFilesLimit(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: unknown } } };
  // Where there is no limit it is the text `unlimited`; Windows has none.
  const limit = userLimits?.open_files?.soft;
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
}

/**
 * Closes connections beyond a number as they arrive, before anything of them is read.
 *
 * @param onClosed called with each of them
 */
export function limitConnections(server: Server, allowed: number, onClosed: () => void): void {
  if (allowed === Number.POSITIVE_INFINITY) return;
  server.maxConnections = allowed;
  server.on('drop', onClosed);
}
