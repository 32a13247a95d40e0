import { execFileSync } from 'node:child_process';

/**
 * Runs a command in a folder and returns its standard output.
 *
 * @throws {Error} with all of its output if it fails
 */
export function run(folder: string, command: string, ...options: string[]): string {
  try {
    return execFileSync(command, options, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  } catch (cause) {
    const { stdout, stderr } = Object(cause);
    throw new Error(`${command} ${options.join(' ')}\n${stdout}${stderr}`, { cause });
  }
}
