import { execFileSync } from 'node:child_process';

/**
 * Runs a command in a folder and gives what it printed.
 *
 * @throws {Error} when it fails, with all that it printed
 */
export function run(folder: string, command: string, ...options: string[]): string {
  try {
    return execFileSync(command, options, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  } catch (cause) {
    const { stdout, stderr } = Object(cause);
    throw new Error(`${command} ${options.join(' ')}\n${stdout}${stderr}`, { cause });
  }
}
