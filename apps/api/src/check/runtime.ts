import { requireNodeVersion } from '../runtime/require-node-version.js';
import { type Item, ok, type Result, warning } from './finding.js';

/** Node.js, and the machine that it was built for. */
export const runtime: Item<unknown> = {
  name: 'Node.js',
  inspect: () => assessNodeVersion(process.versions.node),
};

/**
 * @param version the value of `process.versions.node`, such as `26.10.0`
 * @throws {OperatorError} when it is too old to run the service
 */
export function assessNodeVersion(version: string): Result {
  requireNodeVersion(version);
  const found = `${version} on ${process.platform} ${process.arch}`;
  const [major = 0] = version.split('.').map(Number);
  if (major % 2 === 0) return ok(found);
  return warning(`${found}, whose line gets security fixes for months only`, 'Use Node.js 22, 24 or 26.');
}
