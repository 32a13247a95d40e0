import { once } from 'node:events';
import { startProcess } from './start-process.js';

/** A command that has ended. */
interface CommandResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `plant-store` to its end. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const child = startProcess(args, { environment, output: 'pipe' });
  const closed = once(child, 'close');
  const texts = [child.stdout, child.stderr].map(async (stream) => {
    let text = '';
    for await (const chunk of stream?.setEncoding('utf8') ?? []) text += chunk;
    return text;
  });
  const [stdout = '', stderr = ''] = await Promise.all(texts);
  await closed;
  return { exitCode: child.exitCode, stdout, stderr };
}

/**
 * Issues an access token of a database and returns it.
 *
 * @param expires such as `30s`; never by default
 * @throws {Error} with the output of the command if it fails
 */
export async function issueToken(
  environment: Readonly<Record<string, string>>,
  { name = 'proof', expires = 'never' }: { readonly name?: string; readonly expires?: string } = {},
): Promise<string> {
  const args = ['token', 'create', '--name', name, '--expires', expires];
  const { exitCode, stdout, stderr } = await runCommand(args, environment);
  if (exitCode !== 0)
    throw new Error(`plant-store ${args.join(' ')} ended with status ${exitCode}: ${stderr}`);
  return stdout.trim();
}
