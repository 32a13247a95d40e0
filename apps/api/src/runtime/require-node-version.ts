import { OperatorError } from '../errors/operator-error.js';

/** The oldest Node.js that the service and its dependencies run on: better-sqlite3 13 crashes on 22.12 and 22.13. */
const oldest = { major: 22, minor: 14 } as const;

/**
 * Checks that Node.js is recent enough. An older version would fail later, with an unclear error.
 *
 * @throws {OperatorError} with the required version, and how to get it
 */
export function requireNodeVersion(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) return;
  throw new OperatorError(
    `Node.js ${version} is too old: ${oldest.major}.${oldest.minor} or later is required. In a clone, \
pnpm plant-store … uses its own Node.js. The README explains how to run pnpm.`,
    { exitCode: 2 },
  );
}
