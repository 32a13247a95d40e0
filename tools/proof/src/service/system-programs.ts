import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The environment of a program of the system: nothing is inherited. */
export const systemEnvironment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

/**
 * Runs a program of the system and returns its output, trimmed.
 *
 * @throws {Error} with its output if it fails
 */
export async function runSystemProgram(program: string, ...args: readonly string[]): Promise<string> {
  return (await run(program, [...args], { env: systemEnvironment })).stdout.trim();
}

/** What is missing to use programs of the system as root of Linux; `undefined` if nothing is. */
export async function findMissingProgram(programs: readonly string[]): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'It needs Linux and the user root.';
  for (const program of programs)
    if (!(await succeeds(runSystemProgram('sh', '-c', `command -v ${program}`))))
      return `It needs ${program}.`;
  return undefined;
}

/** Whether a promise is fulfilled. */
export function succeeds(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}
